(** Levels between rationals: e^alpha from below and from above by directed rounding over the
    integers, and comparisons that are proved. *)

From TPL Require Export Texts.
Import ListNotations.
Open Scope Z_scope.

(** ** Rounding *)

Definition divide (up : bool) (a b : Z) : Z := if up then - (- a / b) else a / b.
Definition two_to (k : Z) : Z := match k with Zpos _ => Zpos (power_of 2 k) | _ => 1 end.

(** ** Enclosures *)

(** What is known of a level: itself where it is a number of nats, and fractions at most and at
    least its ratio; (1, 0) is infinite. *)
Record enclosure := { exact : option rational; low : Z * Z; high : Z * Z }.

Definition at_most (one other : enclosure) : bool :=
  match exact one, exact other with
  | Some x, Some y => fst x * Zpos (snd y) <=? fst y * Zpos (snd x)
  | _, _ => fst (high one) * snd (low other) <=? fst (low other) * snd (high one)
  end.

Definition plus (one other : enclosure) : enclosure :=
  {| exact := match exact one, exact other with
       | Some x, Some y => Some (fst x * Zpos (snd y) + fst y * Zpos (snd x),
         Pos.mul (snd x) (snd y))
       | _, _ => None
       end;
     low := (fst (low one) * fst (low other), snd (low one) * snd (low other));
     high := (fst (high one) * fst (high other), snd (high one) * snd (high other)) |}.

Definition zero : enclosure := {| exact := Some (0, 1%positive); low := (1, 1); high := (1, 1) |}.
Definition of_ratio (p : Z * Z) : enclosure := {| exact := None; low := p; high := p |}.

(** ** e^x *)

(** The terms y^k/k! after k - 1 of them, and their sum, in units of 1/unit; until a term is at
    most 1. *)
Fixpoint series (fuel : nat) (up : bool) (unit y k term total : Z) : Z * Z :=
  match fuel with
  | O => (term, total)
  | S f =>
      if term <=? 1 then (term, total)
      else let next := divide up (term * y) (k * unit) in series f up unit y (k + 1) next
        (total + next)
  end.

(** mantissa * 2^exponent squared, times times, kept to a length of bits. *)
Fixpoint squared (times : nat) (up : bool) (bits mantissa exponent : Z) : Z * Z :=
  match times with
  | O => (mantissa, exponent)
  | S t =>
      let shift := Z.max 0 (2 * bit_length mantissa - bits) in
      squared t up bits (divide up (mantissa * mantissa) (two_to shift)) (2 * exponent + shift)
  end.

(** A fraction at most, or (up) at least, e^x for x >= 0. *)
Definition exp_bound (up : bool) (bits : Z) (x : rational) : Z * Z :=
  let n := fst x in
  let d := Zpos (snd x) in
  let squarings := Z.to_nat (bit_length (2 * n / d)) in
  let long := bits + 2 * Z.of_nat squarings + 16 in
  let places := Z.max 0 (long + Z.of_nat squarings + Z.max 0 (bit_length d - bit_length n)) in
  let unit := two_to places in
  let reduced := d * two_to (Z.of_nat squarings) in
  let y := divide up (n * unit) reduced in
  let '(term, total) := series (Z.to_nat places) up unit y 2 y y in
  let start := total + (if up then term else 0) + unit in
  let '(mantissa, exponent) := squared squarings up long start (- places) in
  if (2 * n <=? reduced) && (0 <=? start) && (0 <? mantissa) then (mantissa * two_to exponent,
    two_to (- exponent))
  else if up then (1, 0) else (1, 1).

(** ** Enclosures of the written forms *)

(** A root that nobody vouches for: its program may be any. What is between is checked, and
    otherwise wide. *)
Definition rough_root (n : Z) : Z := Z.sqrt n.
Definition root_between (n : Z) : Z * Z :=
  let s := rough_root n in
  if (0 <=? s) && (s * s <=? n) && (n <? (s + 1) * (s + 1)) then (s, if s * s =? n then s
    else s + 1) else (0, n).

Definition enclose_surd (bits p : Z) (minus : bool) (n c : Z) : enclosure :=
  let k := Z.max 0 (bits + bit_length (Z.abs (p - c)) + bit_length n + 2) in
  let square := n * two_to (2 * k) in
  let '(below, above) := root_between square in
  let '(least, most) := if minus then (- above, - below) else (below, above) in
  {| exact := None; low := (p * two_to k + least, c * two_to k); high := (p * two_to k + most,
    c * two_to k) |}.

(** A written level that is at least 0, and what is known of it. *)
Definition enclose (bits : Z) (l : written_level) : result enclosure :=
  let! e := match l with
    | Nats x =>
        let! _ := require (0 <=? fst x) "the level is negative" in
        Done {| exact := Some x; low := exp_bound false bits x; high := exp_bound true bits x |}
    | Log x => Done (of_ratio (fst x, Zpos (snd x)))
    | Log_surd p minus n c =>
        let! _ := require (0 <=? n) "no root of a negative number" in
        Done (enclose_surd bits p minus n c)
    | Infinite => Done (of_ratio (1, 0))
    end in
  let! _ := require
    ((snd (low e) <=? fst (low e)) && ((0 <? snd (low e)) || match l with Infinite => true | _ =>
      false end))
    "the level is negative, or no number" in
  Done e.

(** A level of a document, and what is known of it. *)
Definition read_level (bits : Z) (j : json) : result (written_level * enclosure) :=
  let! l := written j in
  let! e := enclose bits l in
  Done (l, e).

(** ** What that means *)

Open Scope R_scope.

Definition under (p : Z * Z) (v : option R) : Prop :=
  (0 < fst p)%Z /\ (0 <= snd p)%Z /\ match v with Some x => IZR (fst p) <= exp x * IZR (snd p) |
    None => True end.
Definition over (p : Z * Z) (v : option R) : Prop :=
  (0 < fst p)%Z /\ (0 <= snd p)%Z /\ match v with Some x => exp x * IZR (snd p) <= IZR (fst p) |
    None => snd p = 0%Z end.
Definition encloses (e : enclosure) (v : option R) : Prop :=
  match exact e with Some x => v = Some (of_rational x) | None => True end /\ under (low e) v /\
    over (high e) v.
Definition no_more (v w : option R) : Prop :=
  match v, w with _, None => True | None, Some _ => False | Some x, Some y => x <= y end.
Definition total (v w : option R) : option R :=
  match v, w with Some x, Some y => Some (x + y) | _, _ => None end.

Lemma IZR_pos p : 0 < IZR (Zpos p).
Proof. apply IZR_lt. lia. Qed.

Lemma at_most_sound one other v w : encloses one v -> encloses other w -> at_most one other = true
  -> no_more v w.
Proof.
  unfold at_most. intros [Ev [_ [Ov1 [Ov2 Ov]]]] [Ew [[Uw1 [Uw2 Uw]] _]] H.
  assert (Hcross : (fst (high one) * snd (low other) <=? fst (low other) * snd (high one))%Z = true
    -> no_more v w).
  { clear H. intros H. apply Z.leb_le in H. destruct w as [y|]; [|destruct v; exact I].
    destruct v as [x|]; simpl in *.
    - apply exp_le_inv. apply IZR_le in H. rewrite !mult_IZR in H.
      apply IZR_lt in Ov1, Uw1. apply IZR_le in Ov2, Uw2.
      set (a := IZR (fst (high one))) in *. set (b := IZR (snd (high one))) in *.
      set (c := IZR (fst (low other))) in *. set (d := IZR (snd (low other))) in *.
      pose proof (exp_pos x). pose proof (exp_pos y).
      assert (0 < d) by (destruct Uw2 as [?|E]; [assumption|rewrite <- E, Rmult_0_r in Uw; lra]).
      assert (0 < b).
      { destruct Ov2 as [?|E]; [assumption|]. rewrite <- E in H. rewrite Rmult_0_r in H.
        assert (0 < a * d) by (apply Rmult_lt_0_compat; assumption). lra. }
      apply Rmult_le_reg_r with (b * d); [apply Rmult_lt_0_compat; assumption|].
      assert (exp x * b * d <= a * d) by (apply Rmult_le_compat_r; lra).
      assert (c * b <= exp y * d * b) by (apply Rmult_le_compat_r; lra). lra.
    - rewrite Ov in H. rewrite Z.mul_0_r in H.
      assert (snd (low other) = 0%Z) by nia. rewrite H0 in Uw. apply IZR_lt in Uw1. lra. }
  destruct (exact one) as [x|]; [|auto]. destruct (exact other) as [y|]; [|auto].
  subst v w. simpl. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. unfold of_rational.
  pose proof (IZR_pos (snd x)). pose proof (IZR_pos (snd y)).
  apply Rmult_le_reg_r with (IZR (Zpos (snd x)) * IZR (Zpos (snd y))); [apply Rmult_lt_0_compat;
    assumption|].
  unfold Rdiv. replace (IZR (fst x) * / IZR (Zpos (snd x)) * (IZR (Zpos (snd x)) * IZR
    (Zpos (snd y))))
    with (IZR (fst x) * IZR (Zpos (snd y))) by (field; lra).
  replace (IZR (fst y) * / IZR (Zpos (snd y)) * (IZR (Zpos (snd x)) * IZR (Zpos (snd y))))
    with (IZR (fst y) * IZR (Zpos (snd x))) by (field; lra). assumption.
Qed.

Lemma under_plus p q v w : under p v -> under q w -> under (fst p * fst q, snd p * snd q)%Z
  (total v w).
Proof.
  intros [P1 [P2 P]] [Q1 [Q2 Q]]. unfold under. simpl. repeat split; try nia.
  destruct v as [x|], w as [y|]; simpl; auto. rewrite exp_plus, !mult_IZR.
  apply IZR_lt in P1, Q1. apply IZR_le in P2, Q2.
  replace (exp x * exp y * (IZR (snd p) * IZR (snd q))) with (exp x * IZR (snd p) *
    (exp y * IZR (snd q))) by ring.
  apply Rmult_le_compat; lra.
Qed.

Lemma over_plus p q v w : over p v -> over q w -> over (fst p * fst q, snd p * snd q)%Z
  (total v w).
Proof.
  intros [P1 [P2 P]] [Q1 [Q2 Q]]. unfold over. simpl. repeat split; try nia.
  destruct v as [x|], w as [y|]; simpl; try nia. rewrite exp_plus, !mult_IZR.
  apply IZR_lt in P1, Q1. apply IZR_le in P2, Q2. pose proof (exp_pos x). pose proof (exp_pos y).
  replace (exp x * exp y * (IZR (snd p) * IZR (snd q))) with (exp x * IZR (snd p) *
    (exp y * IZR (snd q))) by ring.
  apply Rmult_le_compat; auto; apply Rmult_le_pos; lra.
Qed.

Lemma plus_sound one other v w : encloses one v -> encloses other w -> encloses (plus one other)
  (total v w).
Proof.
  intros [Ev [Uv Ov]] [Ew [Uw Ow]]. repeat split; simpl; try apply (under_plus _ _ _ _ Uv Uw);
    try apply (over_plus _ _ _ _ Ov Ow).
  destruct (exact one) as [x|]; [|exact I]. destruct (exact other) as [y|]; [|exact I]. subst v w.
    simpl.
  f_equal. unfold of_rational. simpl. rewrite plus_IZR, !mult_IZR, Pos2Z.inj_mul, mult_IZR.
  pose proof (IZR_pos (snd x)). pose proof (IZR_pos (snd y)). field. lra.
Qed.

Lemma zero_sound : encloses zero (Some 0).
Proof.
  unfold encloses, under, over, of_rational; simpl. rewrite exp_0. repeat split; try lia; try lra.
    f_equal. field.
Qed.

(** A fraction as the ratio of a level. *)
Definition log_of (p : Z * Z) : option R := if Z.eqb (snd p) 0 then None
  else Some (ln (IZR (fst p) / IZR (snd p))).

Lemma of_ratio_sound p : (0 < fst p)%Z -> (0 <= snd p)%Z -> encloses (of_ratio p) (log_of p).
Proof.
  intros H1 H2. unfold encloses, of_ratio, under, over, log_of; simpl.
  destruct (Z.eqb_spec (snd p) 0) as [E|N]; [repeat split; auto|].
  assert (0 < snd p)%Z by lia. apply IZR_lt in H. pose proof (IZR_lt _ _ H1).
  rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption).
  replace (IZR (fst p) / IZR (snd p) * IZR (snd p)) with (IZR (fst p)) by (field; lra).
  repeat split; auto; lra.
Qed.

(** ** Rounding *)

Lemma divide_down a b : (0 < b)%Z -> IZR (divide false a b) * IZR b <= IZR a.
Proof. intros H. rewrite <- mult_IZR. apply IZR_le. simpl. pose proof (Z.mul_div_le a b H). lia.
  Qed.

Lemma divide_up a b : (0 < b)%Z -> IZR a <= IZR (divide true a b) * IZR b.
Proof. intros H. rewrite <- mult_IZR. apply IZR_le. simpl. pose proof (Z.mul_div_le (- a) b H).
  lia. Qed.

Lemma divide_nonneg up a b : (0 <= a)%Z -> (0 < b)%Z -> (0 <= divide up a b)%Z.
Proof.
  intros Ha Hb. destruct up; simpl.
  - pose proof (Z.mul_div_le (- a) b Hb). nia.
  - apply Z.div_pos; assumption.
Qed.

Lemma power_spec x n : Zpos (power x n) = (Zpos x ^ Zpos n)%Z.
Proof.
  induction n as [n IH|n IH|]; simpl power.
  - rewrite !Pos2Z.inj_mul, IH, (Pos2Z.inj_xI n), Z.pow_add_r, Z.pow_1_r by lia.
    replace (2 * Zpos n)%Z with (Zpos n + Zpos n)%Z by lia. rewrite Z.pow_add_r by lia. ring.
  - rewrite Pos2Z.inj_mul, IH, (Pos2Z.inj_xO n). replace (2 * Zpos n)%Z with (Zpos n + Zpos n)%Z
    by lia.
    rewrite Z.pow_add_r by lia. reflexivity.
  - rewrite Z.pow_1_r. reflexivity.
Qed.

Lemma two_to_positive k : (0 < two_to k)%Z.
Proof. destruct k; simpl; lia. Qed.

Lemma two_to_spec k : (0 <= k)%Z -> IZR (two_to k) = powerRZ 2 k.
Proof.
  intros H. destruct k as [|p|p]; [reflexivity| |lia]. unfold two_to, power_of. rewrite power_spec.
  rewrite <- (positive_nat_Z p), <- pow_IZR. apply pow_powerRZ.
Qed.

(** ** The exponential series *)

Fixpoint term_of (y : R) (k : nat) : R := match k with O => 1 | S j => term_of y j * y / INR (S j)
  end.

Lemma term_of_nonneg y k : 0 <= y -> 0 <= term_of y k.
Proof.
  intros Hy. induction k as [|k IH]; cbn [term_of]; [lra|].
  apply Rmult_le_pos; [apply Rmult_le_pos; assumption|]. left. apply Rinv_0_lt_compat.
    apply lt_0_INR. lia.
Qed.

Lemma term_of_factorial y k : term_of y k = / INR (fact k) * y ^ k.
Proof.
  induction k as [|k IH]; [simpl; field|]. cbn [term_of]. rewrite IH, fact_simpl, mult_INR.
  simpl pow. field. split; [apply INR_fact_neq_0|apply not_0_INR; lia].
Qed.

Lemma exp_is_sum y : infinite_sum (term_of y) (exp y).
Proof.
  unfold exp. destruct (exist_exp y) as [l Hl]. simpl. unfold exp_in in Hl.
  intros e He. destruct (Hl e He) as [N HN]. exists N. intros n Hn.
  rewrite (sum_eq _ (fun i => / INR (fact i) * y ^ i)); [apply HN; assumption|]. intros.
    apply term_of_factorial.
Qed.

Lemma partial_below y k : 0 <= y -> sum_f_R0 (term_of y) k <= exp y.
Proof.
  intros Hy. apply sum_incr; [|intros; apply term_of_nonneg; assumption].
  intros e He. apply exp_is_sum. assumption.
Qed.

Lemma partial_above y k : 0 <= y <= / 2 -> exp y <= sum_f_R0 (term_of y) k + term_of y k.
Proof.
  intros Hy. assert (Hstep : forall m, sum_f_R0 (term_of y) (k + m) + term_of y (k + m) <= sum_f_R0
    (term_of y) k + term_of y k).
  { induction m as [|m IH]; [rewrite Nat.add_0_r; lra|]. rewrite Nat.add_succ_r. cbn [sum_f_R0].
    assert (term_of y (S (k + m)) <= term_of y (k + m) / 2).
    { cbn [term_of]. change (match (k + m)%nat with 0%nat => 1 | S _ => INR (k + m) + 1 end)
      with (INR (S (k + m))).
      pose proof (term_of_nonneg y (k + m) ltac:(lra)). unfold Rdiv. rewrite Rmult_assoc.
      apply Rmult_le_compat_l; [assumption|].
      assert (/ INR (S (k + m)) <= 1).
      { rewrite <- Rinv_1. apply Rinv_le_contravar; [lra|]. rewrite S_INR.
        pose proof (pos_INR (k + m)). lra. }
      assert (0 < / INR (S (k + m))) by (apply Rinv_0_lt_compat, lt_0_INR; lia). nra. }
    lra. }
  destruct (Rle_dec (exp y) (sum_f_R0 (term_of y) k + term_of y k)) as [?|N]; [assumption|exfalso].
  destruct (exp_is_sum y (exp y - (sum_f_R0 (term_of y) k + term_of y k)) ltac:(lra)) as [M HM].
  specialize (HM (k + M)%nat ltac:(lia)). specialize (Hstep M).
  pose proof (term_of_nonneg y (k + M) ltac:(lra)). unfold R_dist in HM. apply Rabs_def2 in HM.
    lra.
Qed.

Lemma series_down fuel unit y x k z term total : (0 < unit)%Z -> 0 <= x -> (0 <= y)%Z ->
  IZR y <= x * IZR unit ->
  z = Z.of_nat (S k) -> (0 <= term)%Z -> IZR term <= term_of x k * IZR unit ->
  IZR total <= (sum_f_R0 (term_of x) k - 1) * IZR unit ->
  exists m, IZR (snd (series fuel false unit y z term total)) <= (sum_f_R0 (term_of x) m - 1) * IZR
    unit.
Proof.
  intros Hu Hx Hy0 Hy. revert k z term total.
  induction fuel as [|f IH]; intros k z term total Hz Ht0 Ht HT; cbn [series];
    [exists k; assumption|].
  destruct (term <=? 1)%Z; [exists k; assumption|].
  apply IZR_lt in Hu as Hu'.
  assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia).
  assert (Ez : IZR z = INR (S k)) by (rewrite Hz, INR_IZR_INZ; reflexivity).
  assert (Hn : IZR (divide false (term * y) (z * unit)) <= term_of x (S k) * IZR unit).
  { pose proof (divide_down (term * y) (z * unit) ltac:(nia)) as H.
    rewrite !mult_IZR, Ez in H. cbn [term_of].
    apply Rmult_le_reg_r with (INR (S k) * IZR unit); [apply Rmult_lt_0_compat; assumption|].
    eapply Rle_trans; [exact H|].
    replace (term_of x k * x / INR (S k) * IZR unit * (INR (S k) * IZR unit))
      with (term_of x k * IZR unit * (x * IZR unit)) by (field; lra).
    apply IZR_le in Ht0, Hy0. apply Rmult_le_compat; assumption. }
  apply (IH (S k)); [lia|apply divide_nonneg; nia|exact Hn|].
  rewrite plus_IZR. cbn [sum_f_R0]. lra.
Qed.

Lemma series_up fuel unit y x k z term total : (0 < unit)%Z -> 0 <= x -> x * IZR unit <= IZR y ->
  z = Z.of_nat (S k) -> (0 <= term)%Z -> term_of x k * IZR unit <= IZR term ->
  (sum_f_R0 (term_of x) k - 1) * IZR unit <= IZR total ->
  let r := series fuel true unit y z term total in
  exists m, (sum_f_R0 (term_of x) m - 1) * IZR unit <= IZR (snd r) /\ term_of x m * IZR unit <= IZR
    (fst r).
Proof.
  intros Hu Hx Hy. revert k z term total.
  induction fuel as [|f IH]; intros k z term total Hz Ht0 Ht HT; cbn [series]; [exists k; split;
    assumption|].
  destruct (term <=? 1)%Z; [exists k; split; assumption|].
  apply IZR_lt in Hu as Hu'.
  assert (Hy0 : (0 <= y)%Z).
  { apply le_IZR. eapply Rle_trans; [|exact Hy]. apply Rmult_le_pos; lra. }
  assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia).
  assert (Ez : IZR z = INR (S k)) by (rewrite Hz, INR_IZR_INZ; reflexivity).
  assert (Hn : term_of x (S k) * IZR unit <= IZR (divide true (term * y) (z * unit))).
  { pose proof (divide_up (term * y) (z * unit) ltac:(nia)) as H.
    rewrite !mult_IZR, Ez in H. cbn [term_of].
    apply Rmult_le_reg_r with (INR (S k) * IZR unit); [apply Rmult_lt_0_compat; assumption|].
    eapply Rle_trans; [|exact H].
    replace (term_of x k * x / INR (S k) * IZR unit * (INR (S k) * IZR unit))
      with (term_of x k * IZR unit * (x * IZR unit)) by (field; lra).
    pose proof (term_of_nonneg x k Hx). apply Rmult_le_compat; auto; apply Rmult_le_pos; lra. }
  apply (IH (S k)); [lia|apply divide_nonneg; nia|exact Hn|].
  rewrite plus_IZR. cbn [sum_f_R0]. lra.
Qed.

Lemma powerRZ_two_pos k : 0 < powerRZ 2 k.
Proof. apply powerRZ_lt. lra. Qed.

Lemma squared_spec (up : bool) times bits mantissa exponent x : (0 <= mantissa)%Z -> 0 <= x ->
  (if up then exp x <= IZR mantissa * powerRZ 2 exponent else IZR mantissa * powerRZ 2 exponent <=
    exp x) ->
  let r := squared times up bits mantissa exponent in
  (0 <= fst r)%Z /\
  if up then exp (x * 2 ^ times) <= IZR (fst r) * powerRZ 2 (snd r) else IZR (fst r) * powerRZ 2
    (snd r) <= exp (x * 2 ^ times).
Proof.
  revert mantissa exponent x. induction times as [|t IH]; intros mantissa exponent x Hm Hx H.
  - simpl. rewrite Rmult_1_r. auto.
  - cbn [squared pow]. replace (x * (2 * 2 ^ t)) with ((x + x) * 2 ^ t) by ring.
    set (shift := Z.max 0 (2 * bit_length mantissa - bits)).
    pose proof (two_to_positive shift) as H2.
    apply IH; [apply divide_nonneg; [apply Z.mul_nonneg_nonneg|]; assumption|lra|].
    rewrite exp_plus. pose proof (exp_pos x). apply IZR_le in Hm.
    assert (E : powerRZ 2 (2 * exponent + shift) = powerRZ 2 exponent * powerRZ 2 exponent * IZR
      (two_to shift)).
    { rewrite two_to_spec by lia. rewrite <- !powerRZ_add by lra. f_equal. lia. }
    pose proof (powerRZ_two_pos exponent) as Hp. rewrite E. destruct up.
    + pose proof (divide_up (mantissa * mantissa) (two_to shift) H2) as Hd. rewrite mult_IZR in Hd.
      assert (exp x * exp x <= IZR mantissa * powerRZ 2 exponent * (IZR mantissa * powerRZ 2
        exponent))
        by (apply Rmult_le_compat; lra).
      assert (IZR mantissa * IZR mantissa * (powerRZ 2 exponent * powerRZ 2 exponent) <=
        IZR (divide true (mantissa * mantissa) (two_to shift)) * IZR (two_to shift) *
          (powerRZ 2 exponent * powerRZ 2 exponent)).
      { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|assumption]. }
      lra.
    + pose proof (divide_down (mantissa * mantissa) (two_to shift) H2) as Hd.
      rewrite mult_IZR in Hd.
      assert (IZR mantissa * powerRZ 2 exponent * (IZR mantissa * powerRZ 2 exponent) <= exp x *
        exp x).
      { apply Rmult_le_compat; try (apply Rmult_le_pos; lra); lra. }
      assert (IZR (divide false (mantissa * mantissa) (two_to shift)) * IZR (two_to shift) *
        (powerRZ 2 exponent * powerRZ 2 exponent) <=
        IZR mantissa * IZR mantissa * (powerRZ 2 exponent * powerRZ 2 exponent)).
      { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|assumption]. }
      lra.
Qed.

Lemma scaled_fraction m e : IZR m * powerRZ 2 e * IZR (two_to (- e)) = IZR (m * two_to e).
Proof.
  rewrite mult_IZR. destruct (Z.le_gt_cases 0 e) as [H|H].
  - rewrite (two_to_spec e H). destruct e; simpl; try lia; ring.
  - rewrite (two_to_spec (- e)) by lia. rewrite Rmult_assoc, <- powerRZ_add by lra.
    replace (e + - e)%Z with 0%Z by lia. destruct e; simpl; try lia; ring.
Qed.

Theorem exp_bound_sound bits x : (0 <= fst x)%Z ->
  under (exp_bound false bits x) (Some (of_rational x)) /\ over (exp_bound true bits x)
    (Some (of_rational x)).
Proof.
  intros Hx0.
  assert (Hx : 0 <= of_rational x).
  { unfold of_rational. apply IZR_le in Hx0. pose proof (IZR_pos (snd x)).
    apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. assumption. }
  unfold exp_bound.
  set (squarings := Z.to_nat (bit_length (2 * fst x / Z.pos (snd x)))).
  set (long := (bits + 2 * Z.of_nat squarings + 16)%Z).
  set (places := Z.max 0 (long + Z.of_nat squarings + Z.max 0 (bit_length (Z.pos (snd x)) -
    bit_length (fst x)))).
  set (unit := two_to places). set (reduced := (Z.pos (snd x) * two_to (Z.of_nat squarings))%Z).
  pose proof (two_to_positive places) as Hunit. fold unit in Hunit.
  pose proof (two_to_positive (Z.of_nat squarings)) as Hsq.
  assert (Hreduced : (0 < reduced)%Z) by (unfold reduced; nia).
  assert (Htrivial : under (1, 1)%Z (Some (of_rational x)) /\
    over (1, 0)%Z (Some (of_rational x))).
  { unfold under, over. simpl. rewrite Rmult_1_r, Rmult_0_r. repeat split; try lia; try lra.
    apply exp_ratio. assumption. }
  destruct Htrivial as [Hunder Hover].
  destruct (Z.leb_spec (2 * fst x) reduced) as [Hhalf|_].
  2:{ split; destruct (series _ _ _ _ _ _ _), (squared _ _ _ _ _); assumption. }
  set (y := of_rational x / 2 ^ squarings).
  assert (H2p : 0 < 2 ^ squarings) by (apply pow_lt; lra).
  assert (Hy : y = IZR (fst x) / IZR reduced).
  { unfold y, reduced, of_rational. rewrite mult_IZR, two_to_spec by lia.
    rewrite <- pow_powerRZ. pose proof (IZR_pos (snd x)). field. split; lra. }
  apply IZR_lt in Hreduced as HR. apply IZR_lt in Hunit as HU.
  assert (Hy2 : 0 <= y <= / 2).
  { rewrite Hy. apply IZR_le in Hhalf, Hx0. rewrite mult_IZR in Hhalf. split.
    - apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. assumption.
    - apply Rmult_le_reg_r with (IZR reduced); [assumption|]. unfold Rdiv. rewrite Rmult_assoc,
      Rinv_l by lra. lra. }
  assert (Hback : y * 2 ^ squarings = of_rational x) by (unfold y; field; lra).
  assert (Hyu : y * IZR unit * IZR reduced = IZR (fst x * unit)) by (rewrite Hy, mult_IZR; field;
    lra).
  assert (Hpl : IZR unit * powerRZ 2 (- places) = 1).
  { unfold unit. rewrite two_to_spec by lia. rewrite <- powerRZ_add by lra.
    replace (places + - places)%Z with 0%Z by lia.
    reflexivity. }
  pose proof (powerRZ_two_pos (- places)) as Hp2.
  assert (Hterm1 : term_of y 1 = y) by (cbn; field).
  assert (Hsum1 : sum_f_R0 (term_of y) 1 - 1 = y) by (cbn; field).
  split.
  - set (d := divide false (fst x * unit) reduced).
    assert (Hd : IZR d <= y * IZR unit).
    { pose proof (divide_down (fst x * unit) reduced Hreduced) as H. fold d in H.
      apply Rmult_le_reg_r with (IZR reduced); [assumption|]. lra. }
    assert (Hd0 : (0 <= d)%Z) by (apply divide_nonneg; nia).
    destruct (series_down (Z.to_nat places) unit d y 1 2 d d Hunit (proj1 Hy2) Hd0 Hd eq_refl Hd0)
      as [m Hm].
    { rewrite Hterm1. exact Hd. } { rewrite Hsum1. exact Hd. }
    destruct (series (Z.to_nat places) false unit d 2 d d) as [term total]. simpl in Hm.
    destruct (Z.leb_spec 0 (total + 0 + unit)) as [H0|_]; [|destruct (squared _ _ _ _ _);
      assumption].
    destruct (squared_spec false squarings long (total + 0 + unit) (- places) y H0 (proj1 Hy2))
      as [_ S2].
    { apply Rle_trans with (sum_f_R0 (term_of y) m); [|apply partial_below; lra].
      replace (sum_f_R0 (term_of y) m) with (sum_f_R0 (term_of y) m * IZR unit * powerRZ 2
        (- places))
        by (rewrite Rmult_assoc, Hpl; ring).
      apply Rmult_le_compat_r; [lra|]. rewrite !plus_IZR. lra. }
    destruct (squared squarings false long (total + 0 + unit) (- places)) as [mantissa exponent].
      simpl in S2.
    destruct (Z.ltb_spec 0 mantissa) as [Hm0|_]; [|assumption]. simpl.
    pose proof (two_to_positive exponent). pose proof (two_to_positive (- exponent)) as Hpos.
    unfold under. simpl. split; [nia|]. split; [lia|].
    rewrite <- Hback, <- scaled_fraction. apply Rmult_le_compat_r; [apply IZR_le; lia|assumption].
  - set (d := divide true (fst x * unit) reduced).
    assert (Hd : y * IZR unit <= IZR d).
    { pose proof (divide_up (fst x * unit) reduced Hreduced) as H. fold d in H.
      apply Rmult_le_reg_r with (IZR reduced); [assumption|]. lra. }
    assert (Hd0 : (0 <= d)%Z) by (apply divide_nonneg; nia).
    destruct (series_up (Z.to_nat places) unit d y 1 2 d d Hunit (proj1 Hy2) Hd eq_refl Hd0)
      as [m [Hm1 Hm2]].
    { rewrite Hterm1. exact Hd. } { rewrite Hsum1. exact Hd. }
    destruct (series (Z.to_nat places) true unit d 2 d d) as [term total]. simpl in Hm1, Hm2.
    destruct (Z.leb_spec 0 (total + term + unit)) as [H0|_]; [|destruct (squared _ _ _ _ _);
      assumption].
    destruct (squared_spec true squarings long (total + term + unit) (- places) y H0 (proj1 Hy2))
      as [_ S2].
    { apply Rle_trans with (sum_f_R0 (term_of y) m + term_of y m); [apply partial_above; lra|].
      replace (sum_f_R0 (term_of y) m + term_of y m)
        with ((sum_f_R0 (term_of y) m * IZR unit + term_of y m * IZR unit) * powerRZ 2 (- places))
        by (rewrite <- Rmult_plus_distr_r, Rmult_assoc, Hpl; ring).
      apply Rmult_le_compat_r; [lra|]. rewrite !plus_IZR. lra. }
    destruct (squared squarings true long (total + term + unit) (- places)) as [mantissa exponent].
      simpl in S2.
    destruct (Z.ltb_spec 0 mantissa) as [Hm0|_]; [|assumption]. simpl.
    pose proof (two_to_positive exponent). pose proof (two_to_positive (- exponent)) as Hpos.
    unfold over. simpl. split; [nia|]. split; [lia|].
    rewrite <- Hback, <- scaled_fraction. apply Rmult_le_compat_r; [apply IZR_le; lia|assumption].
Qed.

(** ** The written forms are enclosed *)

Lemma root_between_sound n : (0 <= n)%Z ->
  (0 <= fst (root_between n) /\ 0 <= snd (root_between n) /\
   fst (root_between n) * fst (root_between n) <= n <= snd (root_between n) * snd (root_between
     n))%Z.
Proof.
  intros Hn. unfold root_between. set (s := rough_root n). clearbody s.
  destruct ((0 <=? s) && (s * s <=? n) && (n <? (s + 1) * (s + 1)))%Z eqn:E; cbn [fst snd]; [|nia].
  apply andb_prop in E. destruct E as [E E3]. apply andb_prop in E. destruct E as [E1 E2].
  apply Z.leb_le in E1, E2. apply Z.ltb_lt in E3. destruct (Z.eqb_spec (s * s) n); lia.
Qed.

Lemma surd_enclosed bits p minus n c : (0 <= n)%Z -> let e := enclose_surd bits p minus n c in
  (snd (low e) <= fst (low e))%Z -> (0 < snd (low e))%Z ->
  encloses e (Some (ln (surd p minus n c))) /\ 0 <= ln (surd p minus n c).
Proof.
  intros Hn. unfold enclose_surd.
  set (k := Z.max 0 (bits + bit_length (Z.abs (p - c)) + bit_length n + 2)).
  set (square := (n * two_to (2 * k))%Z).
  pose proof (two_to_positive k) as Hk. pose proof (two_to_positive (2 * k)) as H2k.
  assert (Hsq : (0 <= square)%Z) by (unfold square; nia).
  destruct (root_between_sound square Hsq) as [Hs0 [Hu0 [Hs Hu]]].
  destruct (root_between square) as [s u]. cbn [fst snd] in Hs0, Hu0, Hs, Hu.
  apply IZR_lt in Hk as HK.
  assert (E2 : IZR (two_to (2 * k)) = IZR (two_to k) * IZR (two_to k)).
  { rewrite !two_to_spec by lia. rewrite <- powerRZ_add by lra. f_equal. lia. }
  set (r := sqrt (IZR n) * IZR (two_to k)).
  assert (Hr : r * r = IZR square).
  { unfold r, square. rewrite mult_IZR, E2. apply IZR_le in Hn.
    replace (sqrt (IZR n) * IZR (two_to k) * (sqrt (IZR n) * IZR (two_to k)))
      with (sqrt (IZR n) * sqrt (IZR n) * (IZR (two_to k) * IZR (two_to k))) by ring.
    rewrite sqrt_sqrt by assumption. reflexivity. }
  assert (Hr0 : 0 <= r) by (apply Rmult_le_pos; [apply sqrt_pos|lra]).
  assert (Hlow : IZR s <= r).
  { assert (IZR s * IZR s <= r * r) by (rewrite Hr, <- mult_IZR; apply IZR_le; lia).
    apply IZR_le in Hs0. apply Rsqr_incr_0_var; auto. }
  assert (Hup : r <= IZR u).
  { assert (r * r <= IZR u * IZR u) by (rewrite Hr, <- mult_IZR; apply IZR_le; assumption).
    apply IZR_le in Hu0. apply Rsqr_incr_0_var; auto. }
  set (lo := if minus then (- u)%Z else s). set (hi := if minus then (- s)%Z else u).
  assert (Hpair : (if minus then (- u, - s)%Z else (s, u)) = (lo, hi)) by (unfold lo, hi;
    destruct minus; reflexivity).
  rewrite Hpair. simpl. intros H1 H2.
  set (root := if minus then - sqrt (IZR n) else sqrt (IZR n)).
  assert (Hroot : IZR lo <= root * IZR (two_to k) <= IZR hi).
  { unfold lo, hi, root. fold r. destruct minus; rewrite ?opp_IZR; unfold r in *; lra. }
  assert (Hc : (0 < c)%Z) by nia. apply IZR_lt in Hc as HC.
  assert (Hv : surd p minus n c * (IZR c * IZR (two_to k)) = IZR p * IZR (two_to k) + root * IZR
    (two_to k)).
  { unfold surd. fold root. field. lra. }
  assert (Hden : 0 < IZR c * IZR (two_to k)) by (apply Rmult_lt_0_compat; assumption).
  assert (Hv1 : 1 <= surd p minus n c).
  { apply Rmult_le_reg_r with (IZR c * IZR (two_to k)); [assumption|]. rewrite Hv.
    apply IZR_le in H1. rewrite plus_IZR, !mult_IZR in H1. lra. }
  split.
  - unfold encloses, under, over. simpl. rewrite exp_ln by lra.
    repeat split; try lia.
    + rewrite plus_IZR, !mult_IZR, Hv. lra.
    + assert (IZR (c * two_to k) <= IZR (p * two_to k + hi)).
      { rewrite plus_IZR, !mult_IZR. apply IZR_le in H1. rewrite plus_IZR, !mult_IZR in H1. lra. }
      apply le_IZR in H. lia.
    + rewrite plus_IZR, !mult_IZR, Hv. lra.
  - rewrite <- ln_1. destruct Hv1 as [Hv1|<-]; [left; apply ln_increasing; lra|lra].
Qed.

Definition nonneg (v : option R) : Prop := match v with Some x => 0 <= x | None => True end.

Lemma enclose_sound bits l e : enclose bits l = Done e -> encloses e (of_level l) /\
  nonneg (of_level l).
Proof.
  intros H. unfold enclose in H. destruct l as [x|x|p minus n c|]; simpl in H.
  - destruct (0 <=? fst x)%Z eqn:E; [|discriminate]. apply Z.leb_le in E.
    unfold require in H. simpl in H.
    destruct (_ && _) eqn:E2; [|discriminate]. simpl in H. injection H as <-. simpl.
    destruct (exp_bound_sound bits x E) as [HU HO]. repeat split; try apply HU; try apply HO.
    unfold of_rational. apply IZR_le in E. pose proof (IZR_pos (snd x)).
    apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. assumption.
  - destruct (Z.pos (snd x) <=? fst x)%Z eqn:E; [|discriminate]. simpl in H. injection H as <-.
    apply Z.leb_le in E.
    pose proof (of_ratio_sound (fst x, Z.pos (snd x)) ltac:(simpl; lia) ltac:(simpl; lia)) as HS.
      split; [exact HS|].
    simpl. unfold of_rational. apply IZR_le in E. pose proof (IZR_pos (snd x)).
    rewrite <- ln_1. assert (Hx : 1 <= IZR (fst x) / IZR (Z.pos (snd x))).
    { apply Rmult_le_reg_r with (IZR (Z.pos (snd x))); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra. }
    destruct Hx as [Hx|<-]; [left; apply ln_increasing; lra|lra].
  - destruct (0 <=? n)%Z eqn:E; [|discriminate]. apply Z.leb_le in E. simpl in H.
    destruct ((snd (low (enclose_surd bits p minus n c)) <=? fst (low (enclose_surd bits p minus n
      c))))%Z eqn:E1; [|discriminate].
    destruct (0 <? snd (low (enclose_surd bits p minus n c)))%Z eqn:E2; [|discriminate].
    simpl in H. injection H as <-. apply Z.leb_le in E1. apply Z.ltb_lt in E2.
    apply surd_enclosed; assumption.
  - injection H as <-. split; [|exact I]. apply (of_ratio_sound (1, 0)%Z); simpl; lia.
Qed.

Lemma bind_done {A B} (r : result A) (f : A -> result B) b : bind r f = Done b -> exists a,
  r = Done a /\ f a = Done b.
Proof. destruct r; simpl; intros H; try discriminate. eauto. Qed.

Lemma require_done c w x : require c w = Done x -> c = true.
Proof. unfold require. destruct c; [reflexivity|discriminate]. Qed.

Lemma inside_done {A} p (r : result A) a : inside p r = Done a -> r = Done a.
Proof. destruct r; simpl; intros H; try discriminate. assumption. Qed.

Lemma read_level_sound bits j l e : read_level bits j = Done (l, e) -> encloses e (of_level l) /\
  nonneg (of_level l).
Proof.
  unfold read_level. intros H. apply bind_done in H. destruct H as [l' [_ H]].
  apply bind_done in H. destruct H as [e' [H' H]]. injection H as -> ->. eapply enclose_sound.
    eassumption.
Qed.
