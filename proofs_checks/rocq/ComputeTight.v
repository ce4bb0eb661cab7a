(** The exact worst case in integers: at each time the greatest ratio over all pairs of values, the
    sweep's zeros. *)

From TPL Require Export ComputeLeakage.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** The program *)

(** The releases on one side of a time, the nearest first: the matrix of the step to each, and
    e^eps of it. *)
Definition side := list (distributions * (Z * Z)).

(** The ratio of the sets that are asked for at lambda = x: two rows carried together, u and v, and
    weighed alike. *)
Fixpoint weighed_both (x r : Z * Z) (u v : list Z) : list Z * list Z :=
  match u, v with
  | a :: u', b :: v' =>
      let k := if b * fst x <? a * snd x then fst r else snd r in
      let (us, vs) := weighed_both x r u' v' in
      (k * a :: us, k * b :: vs)
  | _, _ => ([], [])
  end.
Fixpoint told_by (n : nat) (x r : Z * Z) (u v : list Z) (rest : side) : Z * Z :=
  let (u', v') := weighed_both x r u v in
  match rest with
  | [] => (added u', added v')
  | (M, r') :: rest' => told_by n x r' (add_rows (units M) u' (repeat 0 n)) (add_rows (units M) v'
    (repeat 0 n)) rest'
  end.

(** Until it is lambda itself. *)
Fixpoint settled (fuel n : nat) (x r : Z * Z) (u v : list Z) (rest : side) : result (Z * Z) :=
  match fuel with
  | O => Undecided "" "too many rounds"
  | S f =>
      let w := told_by n x r u v rest in
      let! _ := within_limit ((0 <? snd x) && (0 <? snd w)) "a ratio is not positive" in
      if fst w * snd x =? fst x * snd w then Done w else settled f n w r u v rest
  end.
Definition most_rounds : nat := 1000.
Definition zero_of (rounds n : nat) (one : side) (j k : nat) (start : Z * Z) : result (Z * Z) :=
  match one with
  | [] => Done (1, 1)
  | (M, r) :: rest => settled rounds n start r (nth j (units M) []) (nth k (units M) []) rest
  end.

(** Whether a ratio bounds it, by a sweep that is rounded upward. *)
Fixpoint swept_side (n : nat) (unit : Z) (r : Z * Z) (rest : side) (c : list Z) : bool :=
  forallb (fun x => x <=? 0) c ||
  (let x := weighed unit (divide true (fst r * unit) (snd r)) c in
   match rest with [] => added x <=? 0 | (M, r') :: rest' => swept_side n unit r' rest'
     (stepped n M x) end).
Definition bounded_side (n : nat) (unit : Z) (one : side) (j k : nat) (x : rational) : bool :=
  match one with
  | [] => Zpos (snd x) <=? fst x
  | (M, r) :: rest => swept_side n unit r rest (first_difference M unit x (nth j (units M) [])
    (nth k (units M) []))
  end.
Definition rounded_ratio (unit : Z) (x : Z * Z) : rational := (fst x * unit / snd x,
  Z.to_pos unit).
Definition start_at (x : rational) : Z * Z := (fst x, Zpos (snd x)).

(** One pair after the other, with the greatest so far. *)
Definition over_pairs (step : nat -> nat -> Z * Z -> result (Z * Z)) (pairs : list (nat * nat)) :
  result (Z * Z) :=
  fold_left (fun best pair => let! b := best in step (fst pair) (snd pair) b) pairs (Done (1, 1)).
Definition greatest_on (rounds n : nat) (unit : Z) (one : side) (last : Z * Z) (j k : nat) (best :
  Z * Z) : result (Z * Z) :=
  if bounded_side n unit one j k (rounded_ratio unit best) then Done best
  else let! w := zero_of rounds n one j k (start_at (rounded_ratio unit (greater last best))) in
    Done (greater best w).
Definition product (v w : Z * Z) : Z * Z := (fst v * fst w, snd v * snd w).
Definition greatest_on_both (rounds n : nat) (unit : Z) (past future : side) (most other : Z * Z)
  (j k : nat) (best : Z * Z) : result (Z * Z) :=
  if bounded_side n unit future j k (rounded_ratio unit (fst best * snd most, snd best * fst most))
    then Done best
  else if bounded_side n unit past j k (rounded_ratio unit (fst best * snd other,
    snd best * fst other)) then Done best
  else
    let! v := zero_of rounds n past j k (start_at (rounded_ratio unit most)) in
    let! w := zero_of rounds n future j k (start_at (rounded_ratio unit other)) in
    Done (greater best (product v w)).

(** All pairs of two values, after those that are guessed to be the greatest: the others are then
    bounded by them. *)
Definition pairs_of (hints : list (nat * nat)) (n : nat) : list (nat * nat) :=
  filter (fun pair => negb (Nat.eqb (fst pair) (snd pair)) && Nat.ltb (fst pair) n && Nat.ltb
    (snd pair) n)
    (hints ++ list_prod (seq 0 n) (seq 0 n)).

(** BPL, FPL and TPL at one time; and at all times, in order. The search begins at those of the
    time before. *)
Definition three := ((Z * Z) * (Z * Z) * (Z * Z))%type.
Definition worst_at (hints : list (nat * nat)) (rounds n : nat) (unit : Z) (last : three) (past :
  side) (e : Z * Z) (future : side)
  : result three :=
  let! b := over_pairs (greatest_on rounds n unit past (fst (fst last))) (pairs_of hints n) in
  let! f := over_pairs (greatest_on rounds n unit future (snd (fst last))) (pairs_of hints n) in
  let! both := over_pairs (greatest_on_both rounds n unit past future b f) (pairs_of hints n) in
  Done (product e b, product e f, product e both).
Fixpoint worst_times (hints : list (nat * nat)) (rounds n : nat) (unit : Z) (last : three) (past :
  side) (Bs Fs : list distributions) (es : list (Z * Z))
  : result (list three) :=
  match es with
  | [] => Done []
  | e :: es' =>
      let! now := worst_at hints rounds n unit last past e (combine Fs es') in
      let! later := worst_times hints rounds n unit now (match Bs with M :: _ => (M, e) ::
        past | [] => past end) (tl Bs) (tl Fs) es' in
      Done (now :: later)
  end.

Definition sweep_unit : Z := two_to 96.

Definition both_ends (low high : three) : ratios * ratios * ratios :=
  let '(b, f, t) := low in let '(b', f', t') := high in ((b, b'), (f, f'), (t, t')).

(** How many values there are; two or more where no correlation is known, for which two stand. *)
Definition values_of (past future : nat) : nat :=
  match Nat.max past future with O => 2 | n => n end.
Definition answer_tight (bits : Z) (hints : list (nat * nat)) (backward forward epsilons : json) :
  result (list (ratios * ratios * ratios)) :=
  let! s := read_stream_of bits backward forward epsilons in
  let n := values_of (past_size s) (future_size s) in
  if Nat.eqb n 1
  then Done (map (fun _ => (nothing_told, nothing_told, nothing_told)) (budgets_of s)) else
  let Bs := if Nat.eqb (past_size s) 0 then [] else past_steps s in
  let Fs := if Nat.eqb (future_size s) 0 then [] else future_steps s in
  let worst es := worst_times hints most_rounds n sweep_unit ((1, 1), (1, 1), (1, 1)) [] Bs Fs es
    in
  let budgets := map snd (budgets_of s) in
  let! low := worst (map fst budgets) in
  let! high := if forallb is_exact budgets then Done low else worst (map snd budgets) in
  Done (map (fun ends => both_ends (fst ends) (snd ends)) (combine low high)).

(** ** What that means *)

Open Scope R_scope.

(** The side is that of a time with h releases there, B and e counted from the farthest; or there
    is none that is seen. *)
Fixpoint describes (n : nat) (B : nat -> nat -> nat -> R) (e : nat -> R) (h : nat) (one : side) :
  Prop :=
  match h, one with
  | O, [] => True
  | S s, (M, r) :: rest =>
      sized n M /\ of_matrix (given M) = B s /\ (0 < snd r <= fst r)%Z /\ quotient r = exp (e s) /\
        describes n B e s rest
  | _, _ => False
  end.
Definition knows (seen : bool) n B e h (one : side) : Prop := if seen then describes n B e h one
  else one = [].

Lemma weighed_both_spec x r u : forall v, List.length u = List.length v ->
  let w := weighed_both x r u v in List.length (fst w) = List.length u /\ List.length (snd w) =
    List.length u /\
  forall a, let k := if (nth a v 0 * fst x <? nth a u 0 * snd x)%Z then fst r else snd r in
  nth a (fst w) 0%Z = (k * nth a u 0)%Z /\ nth a (snd w) 0%Z = (k * nth a v 0)%Z.
Proof.
  induction u as [|a u IH]; intros [|b v] E; cbn in E; try discriminate; cbn [weighed_both].
  - split; [reflexivity|]. split; [reflexivity|]. intros [|i]; cbn; split; ring.
  - destruct (IH v ltac:(congruence)) as [L1 [L2 H]]. destruct (weighed_both x r u v) as [us vs].
    cbn [fst snd] in *.
    split; [cbn; congruence|]. split; [cbn; congruence|]. intros [|i]; cbn [nth];
      [split; reflexivity|apply H].
Qed.

(** u and v, weighed at lambda = x, are a positive multiple of the sweep's c. *)
Definition carries (n : nat) (x : Z * Z) (u v : list Z) (c : nat -> R) : Prop :=
  List.length u = n /\ List.length v = n /\ exists k, 0 < k /\ forall a, (a < n)%nat ->
  IZR (nth a u 0%Z) * IZR (snd x) - IZR (nth a v 0%Z) * IZR (fst x) = k * c a.

Lemma weighed_both_carries n x r u v c e : (0 < snd r)%Z -> quotient r = e -> carries n x u v c ->
  carries n x (fst (weighed_both x r u v)) (snd (weighed_both x r u v)) (Phi e c).
Proof.
  intros Hr <- [Lu [Lv [k [Hk H]]]]. destruct (weighed_both_spec x r u v ltac:(congruence))
    as [L1 [L2 Hw]].
  split; [congruence|]. split; [congruence|]. apply IZR_lt in Hr. exists (IZR (snd r) * k).
  split; [apply Rmult_lt_0_compat; assumption|]. intros a Ha. specialize (H a Ha).
    destruct (Hw a) as [-> ->].
  unfold Phi, quotient. destruct (Z.ltb_spec (nth a v 0%Z * fst x) (nth a u 0%Z * snd x))
    as [Hc|Hc];
    [apply IZR_lt in Hc|apply IZR_le in Hc]; rewrite !mult_IZR in *; destruct (Rlt_dec 0 (c a))
      as [P|P].
  - transitivity (IZR (fst r) * (k * c a)); [rewrite <- H; ring|field; lra].
  - exfalso. apply P. apply Rmult_lt_reg_l with k; lra.
  - exfalso. assert (0 < k * c a) by (apply Rmult_lt_0_compat; assumption). lra.
  - transitivity (IZR (snd r) * (k * c a)); [rewrite <- H; ring|ring].
Qed.

Lemma stepped_carries n x M u v c : sized n M -> carries n x u v c ->
  carries n x (add_rows (units M) u (repeat 0%Z n)) (add_rows (units M) v (repeat 0%Z n))
    (back n (of_matrix (given M)) c).
Proof.
  intros [En [Hc [El Hall]]] [Lu [Lv [k [Hk H]]]]. rewrite En in El, Hall.
  assert (Hrows : forall b, (b < List.length (units M))%nat -> List.length (nth b (units M) []) =
    n) by (intros b Hb; apply Hall; lia).
  assert (Hspec : forall w, List.length w = n -> List.length (add_rows (units M) w (repeat 0%Z n))
    = n /\ forall a, (a < n)%nat ->
    IZR (nth a (add_rows (units M) w (repeat 0%Z n)) 0%Z) = sum n (fun b =>
      IZR (common M) * of_matrix (given M) b a * IZR (nth b w 0%Z))).
  { intros w Lw. split; [apply (add_rows_spec n (units M) w (repeat 0%Z n) 0); auto;
    [congruence|apply repeat_length]|]. intros a Ha.
    destruct (add_rows_spec n (units M) w (repeat 0%Z n) a) as [_ E]; auto;
      [congruence|apply repeat_length|].
    rewrite E, nth_repeat, El, Rplus_0_l. apply sum_ext. intros b Hb.
      destruct (Hall b Hb) as [_ [_ Hu]]. unfold units_of in Hu. rewrite Hu. ring. }
  destruct (Hspec u Lu) as [L1 E1]. destruct (Hspec v Lv) as [L2 E2]. split; [assumption|].
    split; [assumption|].
  apply IZR_lt in Hc. exists (IZR (common M) * k). split; [apply Rmult_lt_0_compat; assumption|].
    intros a Ha.
  rewrite E1, E2 by assumption. unfold back. rewrite <- !sum_scale_r, <- sum_minus, <- sum_scale.
    apply sum_ext. intros b Hb.
  specialize (H b Hb). transitivity (IZR (common M) * of_matrix (given M) b a * (k * c b));
    [rewrite <- H; ring|ring].
Qed.

Lemma told_by_spec n B e x : forall rest s r u v c, describes n B e s rest -> (0 < snd r)%Z ->
  quotient r = exp (e s) -> carries n x u v c ->
  exists k, 0 < k /\ let w := told_by n x r u v rest in IZR (fst w) * IZR (snd x) - IZR (snd w) *
    IZR (fst x) = k * sweep n B e s c.
Proof.
  induction rest as [|[M r'] rest IH]; intros s r u v c Hd Hr Er Hc; cbn [told_by];
    pose proof (weighed_both_carries n x r u v c (exp (e s)) Hr Er Hc) as Hw;
      destruct (weighed_both x r u v) as [u' v']; cbn [fst snd] in Hw.
  - destruct s; [|contradiction]. destruct Hw as [L1 [L2 [k [Hk H]]]]. exists k.
    split; [assumption|]. cbn [fst snd sweep].
    unfold added. rewrite !added_spec, L1, L2, !Rplus_0_l, <- !sum_scale_r, <- sum_minus,
      <- sum_scale. apply sum_ext. exact H.
  - destruct s as [|s]; [contradiction|]. destruct Hd as [HM [EB [Hr' [Er' Hrest]]]]. cbn [sweep].
    rewrite <- EB.
    apply IH; auto; [lia|]. apply stepped_carries; assumption.
Qed.

Lemma zero_of_sound rounds seen n B e h one j k start w : knows seen n B e h one -> (j < n)%nat ->
  (k < n)%nat ->
  zero_of rounds n one j k start = Done w -> (0 < snd w)%Z /\ told seen n B e h j k (quotient w).
Proof.
  intros Hk Hj Hk' H. unfold zero_of in H. destruct one as [|[M r] rest].
  - injection H as <-. split; [cbn; lia|]. assert (E : quotient (1, 1)%Z = 1) by (unfold quotient;
    cbn; field). rewrite E.
    destruct seen; cbn in *; [|reflexivity]. destruct h; [reflexivity|contradiction].
  - destruct seen; [|discriminate]. cbn [knows] in Hk. destruct h as [|s]; [contradiction|].
    destruct Hk as [HM [EB [Hr [Er Hrest]]]].
    cbn [told greatest_before]. revert start H. induction rounds as [|f IH]; intros x H;
      [discriminate|]. cbn [settled] in H.
    apply bind_done in H. destruct H as [? [Hp H]]. unfold within_limit in Hp.
      destruct (_ && _)%bool eqn:P in Hp; [|discriminate]. clear Hp.
    apply andb_prop in P. destruct P as [P1 P2]. apply Z.ltb_lt in P1, P2.
    destruct (Z.eqb_spec (fst (told_by n x r (nth j (units M) []) (nth k (units M) []) rest) * snd
      x)
      (fst x * snd (told_by n x r (nth j (units M) []) (nth k (units M) []) rest))) as [E|_];
        [|apply (IH _ H)].
    injection H as <-. set (w := told_by n x r (nth j (units M) []) (nth k (units M) []) rest) in
      *. split; [assumption|].
    apply IZR_lt in P1 as X1. apply IZR_lt in P2 as W1. apply (f_equal IZR) in E.
      rewrite !mult_IZR in E.
    assert (Ew : quotient w = quotient x).
    { unfold quotient. apply Rmult_eq_reg_r with (IZR (snd w) * IZR (snd x));
      [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
      transitivity (IZR (fst w) * IZR (snd x)); [field; lra|]. rewrite E. field. lra. }
    rewrite Ew. destruct HM as [En [Hc [El Hall]]]. rewrite En in El, Hall.
    assert (Hcarries : carries n x (nth j (units M) []) (nth k (units M) []) (difference (B s) j k
      (quotient x))).
    { destruct (Hall j Hj) as [L1 [_ U1]]. destruct (Hall k Hk') as [L2 [_ U2]].
      split; [assumption|]. split; [assumption|].
      apply IZR_lt in Hc. exists (IZR (common M) * IZR (snd x)). split; [apply Rmult_lt_0_compat;
        assumption|]. intros a _.
      unfold units_of in U1, U2. rewrite U1, U2. unfold difference, quotient. rewrite <- EB. field.
        lra. }
    destruct (told_by_spec n B e x rest s r _ _ _ Hrest ltac:(lia) Er Hcarries) as [m [Hm Hsweep]].
      fold w in Hsweep. cbv zeta in Hsweep.
    apply Rmult_eq_reg_l with m; lra.
Qed.

(** ** Bounds *)

Lemma sweep_below n B e s c : (forall r, (r < s)%nat -> stochastic n (B r)) ->
  (forall a, (a < n)%nat -> c a <= 0) -> sweep n B e s c <= 0.
Proof.
  revert c. induction s as [|s IH]; intros c HB H; cbn [sweep].
  - rewrite <- (sum_zero n). apply sum_le. intros a Ha. apply Phi_nonpos. auto.
  - apply IH; [auto|]. intros a Ha. unfold back. rewrite <- (sum_zero n). apply sum_le.
    intros b Hb.
    pose proof (Phi_nonpos (exp (e (S s))) c b (H b Hb)).
      pose proof (proj1 (HB s (le_n _) b Hb) a Ha). nra.
Qed.

Lemma describes_stochastic n B e s rest : describes n B e s rest -> forall r, (r < s)%nat ->
  stochastic n (B r).
Proof.
  revert rest. induction s as [|s IH]; intros rest H r Hr; [lia|]. destruct rest as [|[M q] rest];
    [contradiction|].
  destruct H as [[En HM] [EB [_ [_ H]]]]. destruct (Nat.eq_dec r s) as [->|N]; [|apply (IH rest H);
    lia].
  rewrite <- EB, <- En in *. apply well_formed_stochastic. assumption.
Qed.

Lemma swept_side_sound n unit B e : (0 < unit)%Z -> forall rest s r c z, describes n B e s rest ->
  (0 < snd r <= fst r)%Z ->
  quotient r = exp (e s) -> CheckTight.above n unit c z -> swept_side n unit r rest z = true ->
    sweep n B e s c <= 0.
Proof.
  intros Hu. induction rest as [|[M r'] rest IH]; intros s r c z Hd Hr Er Hz H; cbn [swept_side] in
    H; apply orb_prop in H;
    (destruct H as [H|H]; [apply sweep_below; [exact (describes_stochastic n B e s _ Hd)|eapply
      nonpos_sound; eassumption]|]);
    (assert (Hgrid : exp (e s) * IZR unit <= IZR (divide true (fst r * unit) (snd r))) by (
      rewrite <- Er; pose proof (divide_up (fst r * unit) (snd r) ltac:(lia)) as D;
        rewrite mult_IZR in D;
      pose proof (IZR_lt _ _ (proj1 Hr)) as HR; unfold quotient; apply Rmult_le_reg_r
        with (IZR (snd r)); [assumption|];
      eapply Rle_trans; [|exact D]; right; field; lra));
    pose proof (quotient_one r Hr) as Q; rewrite Er in Q;
    pose proof (weighed_sound n unit _ (exp (e s)) c z Hu Q Hgrid Hz) as Hw.
  - destruct s; [|contradiction]. cbn [sweep]. apply Z.leb_le, IZR_le in H. unfold added in H.
    rewrite added_spec in H.
    destruct Hw as [Ew Hw]. rewrite Ew in H. apply IZR_lt in Hu.
      apply Rmult_le_reg_r with (IZR unit); [assumption|].
    rewrite Rmult_0_l, <- sum_scale_r. eapply Rle_trans; [apply sum_le; exact Hw|].
      rewrite Rplus_0_l in H. exact H.
  - destruct s as [|s]; [contradiction|]. destruct Hd as [[En HM] [EB [Hr' [Er' Hrest]]]].
    cbn [sweep]. rewrite <- EB.
    apply (IH s r' _ (stepped n M (weighed unit (divide true (fst r * unit) (snd r)) z))); auto.
    rewrite <- En in *. apply stepped_sound; assumption.
Qed.

(** What bounds the sweep bounds its zero; and more private mechanisms tell no more. *)
Lemma below_zero n B e s j k x y : (forall r, stochastic n (B r)) -> (forall r, 0 <= e r) ->
  (j < n)%nat -> (k < n)%nat ->
  sweep n B e s (difference (B s) j k x) <= 0 -> greatest_before n B e (S s) j k y -> y <= x.
Proof.
  intros HB He Hj Hk Hx Hy. assert (Hn : (0 < n)%nat) by lia.
  set (w := fun r => corner (asked_before n B e (S s) j k y r) (exp (e r))).
  pose proof (greatest_before_attained n B e w (S s) j k y HB Hy ltac:(reflexivity) Hj Hk) as E.
  pose proof (greatest_before_rule n B e w (S s) j k x Hn HB (corner_bounded n e _ He) Hx) as U.
  assert (0 < before n B w (S s) k).
  { apply before_positive; auto. intros r b _ _. unfold w, corner. pose proof (exp_pos (e r)).
    destruct (asked_before n B e (S s) j k y r b); lra. }
  apply Rmult_le_reg_r with (before n B w (S s) k); lra.
Qed.

Lemma told_rises seen n B e e' h j k x y : (forall r, stochastic n (B r)) ->
  (forall r, 0 <= e r <= e' r) -> (j < n)%nat -> (k < n)%nat ->
  told seen n B e h j k x -> told seen n B e' h j k y -> x <= y.
Proof.
  intros HB He Hj Hk Hx Hy. destruct seen; [|cbn in *; lra]. cbn [told] in *. destruct h as [|s];
    [cbn in *; lra|].
  apply (below_zero n B e s j k); auto; [intros r; apply He|]. cbn [greatest_before] in Hy.
    rewrite <- Hy.
  clear Hx Hy. generalize (difference (B s) j k y). induction s as [|s IH]; intros c; cbn [sweep].
  - apply sum_le. intros a _. unfold Phi. pose proof (exp_le _ _ (proj2 (He 0%nat))).
    destruct (Rlt_dec 0 (c a)); [apply Rmult_le_compat_r; lra|lra].
  - eapply Rle_trans; [apply IH|]. apply sweep_rises; auto; [intros r; specialize (He r); lra|].
    intros a Ha. apply back_rises; auto. intros b _. unfold Phi.
      pose proof (exp_le _ _ (proj2 (He (S s)))).
    destruct (Rlt_dec 0 (c b)); [apply Rmult_le_compat_r; lra|lra].
Qed.

Lemma bounded_side_sound seen n unit B e h one j k x y : (forall r, stochastic n (B r)) ->
  (forall r, 0 <= e r) -> (0 < unit)%Z ->
  knows seen n B e h one -> (j < n)%nat -> (k < n)%nat -> bounded_side n unit one j k x = true ->
    told seen n B e h j k y -> y <= of_rational x.
Proof.
  intros HB He Hu Hknows Hj Hk H Hy. unfold bounded_side in H. destruct one as [|[M r] rest].
  - assert (Ey : y = 1) by (destruct seen; cbn in *; [destruct h; [exact Hy|contradiction]|exact
    Hy]). subst y.
    apply Z.leb_le, IZR_le in H. unfold of_rational. pose proof (IZR_pos (snd x)).
    apply Rmult_le_reg_r with (IZR (Z.pos (snd x))); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
  - destruct seen; [|discriminate]. cbn [knows told] in *. destruct h as [|s]; [contradiction|].
    destruct Hknows as [[En HM] [EB [Hr [Er Hrest]]]]. apply (below_zero n B e s j k); auto.
      rewrite <- EB.
    eapply (swept_side_sound n unit B e Hu rest s r); try eassumption. rewrite <- En in *.
      apply first_difference_sound; assumption.
Qed.

Lemma rounded_ratio_below unit x : (0 < unit)%Z -> (0 < snd x)%Z ->
  of_rational (rounded_ratio unit x) <= quotient x.
Proof.
  intros Hu Hx. unfold rounded_ratio, of_rational, quotient. cbn [fst snd].
    rewrite Z2Pos.id by assumption.
  pose proof (divide_down (fst x * unit) (snd x) Hx) as D. cbn [divide] in D.
    rewrite mult_IZR in D. apply IZR_lt in Hu, Hx.
  apply Rmult_le_reg_r with (IZR unit * IZR (snd x)); [apply Rmult_lt_0_compat; assumption|].
  eapply Rle_trans; [|eapply Rle_trans; [exact D|]]; right; field; lra.
Qed.

(** ** All pairs *)

(** The greatest y that is V of a pair of two values, all of which are 1 or more. *)
Definition is_pair (n : nat) (j k : nat) : Prop := (j < n)%nat /\ (k < n)%nat /\ j <> k.
Definition greatest_pair (n : nat) (V : nat -> nat -> R -> Prop) (x : R) : Prop :=
  (exists j k, is_pair n j k /\ V j k x) /\ forall j k y, is_pair n j k -> V j k y -> y <= x.

Lemma pairs_of_spec hints n j k : In (j, k) (pairs_of hints n) <-> is_pair n j k.
Proof.
  unfold pairs_of, is_pair. rewrite filter_In, in_app_iff, in_prod_iff, !in_seq. cbn [fst snd].
  rewrite !andb_true_iff, negb_true_iff, Nat.eqb_neq, !Nat.ltb_lt. lia.
Qed.

Lemma over_pairs_sound hints n V step x : (2 <= n)%nat ->
  (forall j k best next, is_pair n j k -> (0 < snd best <= fst best)%Z -> step j k best = Done next
    ->
     (0 < snd next <= fst next)%Z /\ quotient best <= quotient next /\
       (quotient next = quotient best \/ V j k (quotient next)) /\
     forall y, V j k y -> y <= quotient next) ->
  (forall j k, is_pair n j k -> exists y, 1 <= y /\ V j k y) ->
  over_pairs step (pairs_of hints n) = Done x -> (0 < snd x <= fst x)%Z /\
    greatest_pair n V (quotient x).
Proof.
  intros Hn Hstep Hsome H. assert (Hpairs : forall j k, In (j, k) (pairs_of hints n) ->
    is_pair n j k) by (intros; eapply pairs_of_spec; eassumption).
  assert (Hfold : forall l start, (forall j k, In (j, k) l -> is_pair n j k) ->
    (0 < snd start <= fst start)%Z ->
    fold_left (fun best pair => let! b := best in step (fst pair) (snd pair) b) l (Done start) =
      Done x ->
    (0 < snd x <= fst x)%Z /\ quotient start <= quotient x /\
    (quotient x = quotient start \/ exists j k, is_pair n j k /\ V j k (quotient x)) /\
    forall j k y, In (j, k) l -> V j k y -> y <= quotient x).
  { clear H Hpairs. induction l as [|[j k] l IH]; intros start Hl Hs H; cbn [fold_left] in H.
    - injection H as ->. split; [assumption|]. split; [lra|]. split; [left; reflexivity|].
      intros j k y [].
    - cbn [bind fst snd] in H. destruct (step j k start) as [next|? ?|? ?] eqn:E.
      + destruct (Hstep j k start next (Hl j k (or_introl eq_refl)) Hs E) as [N1 [N2 [N3 N4]]].
        destruct (IH next ltac:(intros; apply Hl; right; assumption) N1 H) as [I1 [I2 [I3 I4]]].
        split; [assumption|]. split; [lra|]. split.
        * destruct I3 as [I3|I3]; [|right; assumption]. destruct N3 as [N3|N3]; [left; lra|].
          right. exists j, k. split; [apply Hl; left; reflexivity|]. rewrite I3. assumption.
        * intros j' k' y [Ejk|Hin] Hy; [injection Ejk as <- <-; specialize (N4 y Hy);
          lra|apply (I4 j' k'); assumption].
      + exfalso. clear - H. induction l as [|p l IH]; cbn in H; [discriminate|auto].
      + exfalso. clear - H. induction l as [|p l IH]; cbn in H; [discriminate|auto]. }
  assert (Eone : quotient (1, 1)%Z = 1) by (unfold quotient; cbn; field).
  destruct (Hfold (pairs_of hints n) (1, 1)%Z Hpairs ltac:(cbn; lia) H) as [P1 [P2 [P3 P4]]].
    rewrite Eone in P2, P3.
  assert (Hall : forall j k y, is_pair n j k -> V j k y -> y <= quotient x) by (intros j k y Hjk;
    apply P4, pairs_of_spec; assumption).
  split; [assumption|]. split; [|assumption]. destruct P3 as [E|P3]; [|assumption].
  assert (H01 : is_pair n 0 1) by (unfold is_pair; lia). destruct (Hsome 0%nat 1%nat H01)
    as [y [Hy HV]].
  exists 0%nat, 1%nat. split; [assumption|]. specialize (Hall 0%nat 1%nat y H01 HV).
    replace (quotient x) with y by lra. assumption.
Qed.

Lemma greater_pair v w : (0 < snd v <= fst v)%Z -> (0 < snd w <= fst w)%Z -> let r :=
  greater v w in
  (0 < snd r <= fst r)%Z /\ (r = v \/ r = w) /\ quotient v <= quotient r /\ quotient w <= quotient
    r.
Proof.
  intros Hv Hw. destruct (greater_spec [w] v) as [_ [H2 H3]]; [lia|intros z [<-|[]]; lia|].
    cbn [fold_left] in *. cbv zeta.
  assert (H : greater v w = v \/ greater v w = w) by (destruct H2 as [H2|[H2|[]]]; auto).
  split; [destruct H as [-> | ->]; assumption|]. split; [assumption|]. split; apply H3;
    [left; reflexivity|right; left; reflexivity].
Qed.

(** What is known of the two sides of a time. *)
Definition worst_pair (past future : bool) n (B F : nat -> nat -> nat -> R) (e : nat ->
  R) (T t j k : nat) (y : R) : Prop :=
  exists lambda mu, told past n B e t j k lambda /\ told future n (fun s => F (T - S s)%nat)
    (turned T e) (T - t) j k mu /\
  y = exp (e t) * (lambda * mu).

Lemma zero_one rounds seen n unit B e h one : (forall r, stochastic n (B r)) ->
  (forall r, 0 <= e r) -> (0 < unit)%Z -> knows seen n B e h one ->
  forall j k start w, is_pair n j k -> zero_of rounds n one j k start = Done w ->
  (0 < snd w <= fst w)%Z /\ told seen n B e h j k (quotient w) /\ forall y, told seen n B e h j k y
    -> y = quotient w.
Proof.
  intros HB He Hu Hk j k start w [Hj [Hk' Hne]] H.
    destruct (zero_of_sound rounds seen n B e h one j k start w Hk Hj Hk' H) as [H1 H2].
  pose proof (told_least seen n B e h j k _ HB He Hj Hk' H2) as H3.
    split; [split; [assumption|apply one_quotient; assumption]|].
  split; [assumption|]. assert (Hee : forall r, 0 <= e r <= e r) by (intros r; specialize (He r);
    lra).
  intros y Hy. apply Rle_antisym; eapply (told_rises seen n B e e h j k); eauto.
Qed.

Lemma one_side_greatest hints rounds last seen n unit B e h one x : (2 <= n)%nat ->
  (forall r, stochastic n (B r)) -> (forall r, 0 <= e r) -> (0 < unit)%Z ->
  knows seen n B e h one -> over_pairs (greatest_on rounds n unit one last) (pairs_of hints n) =
    Done x ->
  (0 < snd x <= fst x)%Z /\ greatest_pair n (told seen n B e h) (quotient x).
Proof.
  intros Hn HB He Hu Hk. apply over_pairs_sound; [assumption| |].
  - intros j k best next Hjk Hbest H. pose proof Hjk as [Hj [Hk' _]]. unfold greatest_on in H.
    cbv zeta in H.
    destruct (bounded_side n unit one j k (rounded_ratio unit best)) eqn:E.
    + injection H as <-. split; [assumption|]. split; [lra|]. split; [left; reflexivity|].
      intros y Hy.
      eapply Rle_trans; [eapply (bounded_side_sound seen n unit B e h one j k);
        eassumption|apply rounded_ratio_below; [assumption|lia]].
    + apply bind_done in H. destruct H as [w [Hw H]]. injection H as <-.
      destruct (zero_one rounds seen n unit B e h one HB He Hu Hk j k _ w Hjk Hw) as [W1 [W2 W3]].
      destruct (greater_pair best w Hbest W1) as [G1 [G2 [G3 G4]]]. split; [assumption|].
        split; [assumption|]. split.
      * destruct G2 as [-> | ->]; [left; reflexivity|right; assumption].
      * intros y Hy. rewrite (W3 y Hy). assumption.
  - intros j k [Hj [Hk' _]]. destruct (told_exists seen n B e h j k HB He Hj Hk') as [y Hy].
    exists y. split; [|assumption].
    apply (told_least seen n B e h j k y); assumption.
Qed.

Lemma product_quotient v w : (0 < snd v)%Z -> (0 < snd w)%Z -> quotient (product v w) = quotient v
  * quotient w.
Proof. intros Hv Hw. unfold product, quotient. cbn [fst snd]. apply IZR_lt in Hv, Hw.
  rewrite !mult_IZR. field. lra. Qed.

Lemma both_sides_greatest hints rounds seen seen' n unit B e h past B' e' h' future most other x :
  (2 <= n)%nat -> (0 < unit)%Z ->
  (forall r, stochastic n (B r)) -> (forall r, 0 <= e r) -> knows seen n B e h past ->
  (forall r, stochastic n (B' r)) -> (forall r, 0 <= e' r) -> knows seen' n B' e' h' future ->
  (0 < snd most <= fst most)%Z -> greatest_pair n (told seen n B e h) (quotient most) ->
  (0 < snd other <= fst other)%Z -> greatest_pair n (told seen' n B' e' h') (quotient other) ->
  over_pairs (greatest_on_both rounds n unit past future most other) (pairs_of hints n) = Done x ->
  (0 < snd x <= fst x)%Z /\
  greatest_pair n (fun j k y => exists lambda mu, told seen n B e h j k lambda /\
    told seen' n B' e' h' j k mu /\ y = lambda * mu) (quotient x).
Proof.
  intros Hn Hu HB He Hk HB' He' Hk' Hmost [_ Hgreatest] Hother [_ Hgreatest'].
    pose proof (quotient_one most Hmost) as Qmost.
  pose proof (quotient_one other Hother) as Qother. apply over_pairs_sound; [assumption| |].
  - intros j k best next Hjk Hbest H. pose proof Hjk as [Hj [Hk0 _]].
    pose proof (quotient_one best Hbest) as Qbest. unfold greatest_on_both in H. cbv zeta in H.
    (* where one side is bounded by what is left beside the greatest of the other *)
    assert (Hleft : forall one z y, (0 < snd one <= fst one)%Z -> 1 <= z <= quotient one ->
      1 <= y ->
      y <= of_rational (rounded_ratio unit (fst best * snd one, snd best * fst one)%Z) ->
        z * y <= quotient best).
    { intros one z y Hone Hz Hy1 Hy.
      pose proof (rounded_ratio_below unit (fst best * snd one, snd best * fst one)%Z Hu ltac:(cbn;
        nia)) as Ur.
      assert (Eq : quotient (fst best * snd one, snd best * fst one)%Z * quotient one = quotient
        best).
      { unfold quotient. cbn [fst snd]. destruct Hone as [P1 P2], Hbest as [P3 P4].
        assert (P5 : (0 < fst one)%Z) by lia.
        apply IZR_lt in P1, P3, P5. rewrite !mult_IZR. field. lra. }
      rewrite <- Eq, (Rmult_comm z). apply Rmult_le_compat; lra. }
    destruct (bounded_side n unit future j k (rounded_ratio unit (fst best * snd most,
      snd best * fst most)%Z)) eqn:E;
      [|destruct (bounded_side n unit past j k (rounded_ratio unit (fst best * snd other,
        snd best * fst other)%Z)) eqn:E'].
    + injection H as <-. split; [assumption|]. split; [lra|]. split; [left; reflexivity|].
      intros y [lambda [mu [Hl [Hm ->]]]].
      pose proof (bounded_side_sound seen' n unit B' e' h' future j k _ mu HB' He' Hu Hk' Hj Hk0 E
        Hm) as Um.
      pose proof (told_least seen n B e h j k lambda HB He Hj Hk0 Hl).
        pose proof (told_least seen' n B' e' h' j k mu HB' He' Hj Hk0 Hm).
      apply (Hleft most); auto. split; [assumption|]. apply (Hgreatest j k); assumption.
    + injection H as <-. split; [assumption|]. split; [lra|]. split; [left; reflexivity|].
      intros y [lambda [mu [Hl [Hm ->]]]].
      pose proof (bounded_side_sound seen n unit B e h past j k _ lambda HB He Hu Hk Hj Hk0 E' Hl)
        as Ul.
      pose proof (told_least seen n B e h j k lambda HB He Hj Hk0 Hl).
        pose proof (told_least seen' n B' e' h' j k mu HB' He' Hj Hk0 Hm).
      rewrite Rmult_comm. apply (Hleft other); auto. split; [assumption|]. apply (Hgreatest' j k);
        assumption.
    + apply bind_done in H. destruct H as [v [Hv H]]. apply bind_done in H.
      destruct H as [w [Hw H]]. injection H as <-.
      destruct (zero_one rounds seen n unit B e h past HB He Hu Hk j k _ v Hjk Hv) as [V1 [V2 V3]].
      destruct (zero_one rounds seen' n unit B' e' h' future HB' He' Hu Hk' j k _ w Hjk Hw)
        as [W1 [W2 W3]].
      assert (P1 : (0 < snd (product v w) <= fst (product v w))%Z) by (unfold product;
        cbn [fst snd]; nia).
      destruct (greater_pair best (product v w) Hbest P1) as [G1 [G2 [G3 G4]]].
        split; [assumption|]. split; [assumption|]. split.
      * destruct G2 as [-> | ->]; [left; reflexivity|right]. exists (quotient v), (quotient w).
        rewrite product_quotient by lia. auto.
      * intros y [lambda [mu [Hl [Hm ->]]]]. rewrite (V3 _ Hl), (W3 _ Hm), <- product_quotient
        by lia. assumption.
  - intros j k [Hj [Hk0 _]]. destruct (told_exists seen n B e h j k HB He Hj Hk0) as [y Hy].
    destruct (told_exists seen' n B' e' h' j k HB' He' Hj Hk0) as [z Hz].
    pose proof (told_least seen n B e h j k y HB He Hj Hk0 Hy).
      pose proof (told_least seen' n B' e' h' j k z HB' He' Hj Hk0 Hz).
    exists (y * z). split; [nra|]. exists y, z. auto.
Qed.

(** One time of a stream. *)
Definition worst_three (past future : bool) n B F (e : nat -> R) (T t : nat) (found : three) :
  Prop :=
  let '(b, f, both) := found in
  let each seen seen' x := (0 < snd x <= fst x)%Z /\ greatest_pair n (worst_pair seen seen' n B F e
    T t) (quotient x) in
  each past false b /\ each false future f /\ each past future both.

Lemma greatest_scaled n V W c x : 0 < c -> (forall j k y, W j k y <-> exists z, V j k z /\
  y = c * z) -> greatest_pair n V x -> greatest_pair n W (c * x).
Proof.
  intros Hc HW [[j [k [Hjk Hx]]] Hall]. split; [exists j, k; split; [assumption|]; apply HW;
    eauto|].
  intros j' k' y Hjk' Hy. apply HW in Hy. destruct Hy as [z [Hz ->]]. apply Rmult_le_compat_l;
    [lra|eauto].
Qed.

Lemma worst_at_sound hints rounds last seen seen' n unit B F e T t past r future found :
  (2 <= n)%nat -> (0 < unit)%Z -> (t <= T)%nat ->
  (forall s, stochastic n (B s)) -> (forall s, stochastic n (F s)) -> (forall s, 0 <= e s) ->
    (0 < snd r <= fst r)%Z -> quotient r = exp (e t) ->
  knows seen n B e t past -> knows seen' n (fun s => F (T - S s)%nat) (turned T e) (T - t) future
    ->
  worst_at hints rounds n unit last past r future = Done found -> worst_three seen seen' n B F e T
    t found.
Proof.
  intros Hn Hu Ht HB HF He Hr Er Hpast Hfuture H. unfold worst_at in H.
  apply bind_done in H. destruct H as [b [Hb H]]. apply bind_done in H. destruct H as [f [Hf H]].
  apply bind_done in H. destruct H as [both [Hboth H]]. injection H as <-. unfold worst_three.
  set (F' := fun s => F (T - S s)%nat) in *. assert (HF' : forall s, stochastic n (F' s))
    by (intros s; apply HF).
  assert (He' : forall s, 0 <= turned T e s) by (intros s; apply He).
  destruct (one_side_greatest hints rounds _ seen n unit B e t past b Hn HB He Hu Hpast Hb)
    as [B1 B2].
  destruct (one_side_greatest hints rounds _ seen' n unit F' (turned T e) (T - t) future f Hn HF'
    He' Hu Hfuture Hf) as [F1 F2].
  destruct (both_sides_greatest hints rounds seen seen' n unit B e t past F' (turned T e) (T - t)
    future b f both Hn Hu HB He Hpast HF' He' Hfuture B1 B2 F1 F2 Hboth) as [T1 T2].
  assert (Hp : forall x, (0 < snd x <= fst x)%Z -> (0 < snd (product r x) <= fst (product r x))%Z)
    by (intros x Hx; unfold product; cbn [fst snd]; nia).
  pose proof (exp_pos (e t)) as Hpos.
  split; [|split]; (split; [auto|rewrite product_quotient, Er by lia]); (eapply greatest_scaled;
    [assumption| |eassumption]); intros j k y; unfold worst_pair; fold F'.
  - cbn [told]. split; [intros [l [m [Hl [-> ->]]]]; exists l; split;
    [assumption|ring]|intros [z [Hz ->]]; exists z, 1; repeat split; [assumption|ring]].
  - cbn [told]. split; [intros [l [m [-> [Hm ->]]]]; exists m; split;
    [assumption|ring]|intros [z [Hz ->]]; exists 1, z; repeat split; [assumption|ring]].
  - split; [intros [l [m [Hl [Hm ->]]]]; exists (l * m); split; [exists l, m; auto|ring]|].
    intros [z [[l [m [Hl [Hm ->]]]] ->]]. exists l, m. auto.
Qed.

(** ** All times *)

Definition budgets_are (es : list (Z * Z)) (e : nat -> R) (t : nat) : Prop :=
  forall i, (i < List.length es)%nat -> (0 < snd (nth i es (1, 1)%Z) <= fst (nth i es (1, 1)%Z))%Z
    /\ quotient (nth i es (1, 1)%Z) = exp (e (t + i)%nat).
Definition steps_are (seen : bool) (n : nat) (Ms : list distributions) (P : nat -> nat -> nat ->
  R) (t count : nat) : Prop :=
  if seen then List.length Ms = count /\ forall i, (i < count)%nat -> sized n (nth i Ms no_matrix)
    /\ of_matrix (given (nth i Ms no_matrix)) = P (t + i)%nat
  else Ms = [].

Lemma budgets_are_later r es e t : budgets_are (r :: es) e t -> budgets_are es e (S t).
Proof.
  intros H i Hi. specialize (H (S i) ltac:(cbn; lia)). cbn [nth] in H.
    replace (S t + i)%nat with (t + S i)%nat by lia. exact H.
Qed.

Lemma steps_are_later seen n Ms P t count : steps_are seen n Ms P t (S count) ->
  steps_are seen n (tl Ms) P (S t) count.
Proof.
  destruct seen; cbn [steps_are]; [|intros ->; reflexivity]. intros [L H]. destruct Ms as [|M Ms];
    [discriminate|]. cbn [tl].
  split; [cbn in L; lia|]. intros i Hi. specialize (H (S i) ltac:(lia)). cbn [nth] in H.
    replace (S t + i)%nat with (t + S i)%nat by lia. exact H.
Qed.

Lemma future_known seen n F e T : forall es t Fs, (t + List.length es = T)%nat ->
  budgets_are es e (S t) ->
  steps_are seen n Fs F t (List.length es) -> knows seen n (fun s => F (T - S s)%nat) (turned T e)
    (T - t) (combine Fs es).
Proof.
  destruct seen; [|intros es t Fs _ _ H; cbn in H; subst Fs; reflexivity]. cbn [knows].
  induction es as [|r es IH]; intros t Fs Et He HF.
  - cbn in Et. replace (T - t)%nat with 0%nat by lia. destruct Fs; exact I.
  - cbn [List.length] in *. destruct HF as [L HF]. destruct Fs as [|M Fs]; [discriminate|].
    cbn [combine].
    replace (T - t)%nat with (S (T - S t)) by lia. cbn [describes].
    destruct (HF 0%nat ltac:(lia)) as [HM EM]. cbn [nth] in HM, EM. rewrite Nat.add_0_r in EM.
    destruct (He 0%nat ltac:(cbn; lia)) as [Hr Er]. cbn [nth] in Hr, Er. rewrite Nat.add_0_r in Er.
    split; [assumption|]. split; [rewrite EM; f_equal; lia|]. split; [assumption|]. split.
    + rewrite Er. unfold turned. do 2 f_equal. lia.
    + apply IH; [lia|apply (budgets_are_later r); assumption|].
      apply (steps_are_later true n (M :: Fs)). split; assumption.
Qed.

Lemma worst_times_sound hints rounds seen seen' n unit B F e T : (2 <= n)%nat -> (0 < unit)%Z ->
  (forall s, stochastic n (B s)) -> (forall s, stochastic n (F s)) -> (forall s, 0 <= e s) ->
    forall es last t past Bs Fs found,
  (t + List.length es = S T)%nat -> budgets_are es e t -> knows seen n B e t past ->
  steps_are seen n Bs B t (List.length es - 1) -> steps_are seen' n Fs F t (List.length es - 1) ->
  worst_times hints rounds n unit last past Bs Fs es = Done found ->
  List.length found = List.length es /\ forall i x, nth_error found i = Some x ->
    worst_three seen seen' n B F e T (t + i) x.
Proof.
  intros Hn Hu HB HF He. induction es as [|r es IH]; intros last t past Bs Fs found Et Hes Hpast
    HBs HFs H; cbn [worst_times] in H.
  - injection H as <-. split; [reflexivity|]. intros [|i]; discriminate.
  - apply bind_done in H. destruct H as [now [Hnow H]]. apply bind_done in H.
    destruct H as [later [Hlater H]]. injection H as <-.
    cbn [List.length] in *. replace (S (List.length es) - 1)%nat with (List.length es) in HBs,
      HFs by lia.
    destruct (Hes 0%nat ltac:(cbn; lia)) as [Hr Er]. cbn [nth] in Hr, Er. rewrite Nat.add_0_r in
      Er.
    pose proof (budgets_are_later r es e t Hes) as Hes'.
    assert (Hfuture : knows seen' n (fun s => F (T - S s)%nat) (turned T e) (T - t)
      (combine Fs es)) by (apply future_known; auto; lia).
    assert (N : worst_three seen seen' n B F e T t now).
    { eapply (worst_at_sound hints rounds last seen seen' n unit B F e T t past r (combine Fs es));
      eauto. lia. }
    destruct es as [|r' es].
    + cbn in Hlater. injection Hlater as <-. split; [reflexivity|]. intros [|[|i]] x Hx; cbn in Hx;
      try discriminate.
      injection Hx as <-. rewrite Nat.add_0_r. assumption.
    + cbn [List.length] in *. destruct (IH now (S t) (match Bs with M :: _ => (M, r) ::
      past | [] => past end) (tl Bs) (tl Fs) later) as [L1 L2]; auto; try lia.
      * destruct seen; cbn [knows steps_are] in *; [|subst Bs; exact Hpast].
        destruct HBs as [L HBs]. destruct Bs as [|M Bs]; [discriminate|].
        cbn [describes]. destruct (HBs 0%nat ltac:(lia)) as [HM EM]. cbn [nth] in HM, EM.
          rewrite Nat.add_0_r in EM. auto.
      * replace (S (List.length es) - 1)%nat with (List.length es) by lia. apply steps_are_later.
        assumption.
      * replace (S (List.length es) - 1)%nat with (List.length es) by lia. apply steps_are_later.
        assumption.
      * split; [cbn; congruence|]. intros [|i] x Hx; cbn [nth_error] in Hx; [injection Hx as <-;
        rewrite Nat.add_0_r; assumption|].
        replace (t + S i)%nat with (S t + i)%nat by lia. apply L2. assumption.
Qed.

(** ** Answers *)

(** The greatest over pairs of values is at least the first fraction, and at most the second. *)
Definition greatest_spans (n : nat) (r : ratios) (V : nat -> nat -> R -> Prop) : Prop :=
  (0 < snd (fst r) <= fst (fst r))%Z /\ (0 < snd (snd r) <= fst (snd r))%Z /\
  (exists j k y, is_pair n j k /\ V j k y /\ quotient (fst r) <= y) /\ forall j k y,
    is_pair n j k -> V j k y -> y <= quotient (snd r).

Lemma told_same seen n B B' e e' h j k x : (forall s, (s < h)%nat -> B s = B' s) ->
  (forall s, (s < h)%nat -> e s = e' s) ->
  told seen n B e h j k x -> told seen n B' e' h j k x.
Proof.
  intros HB He. destruct seen; [|auto]. cbn [told]. destruct h as [|s]; [auto|].
    cbn [greatest_before]. rewrite <- HB by lia.
  intros <-. symmetry. generalize (difference (B s) j k x). clear x.
    assert (HB' : forall r, (r < s)%nat -> B r = B' r) by (intros; apply HB; lia).
  clear HB. induction s as [|s IH]; intros c; cbn [sweep].
  - rewrite He by lia. reflexivity.
  - rewrite HB', He by lia. apply IH; intros; [apply He|apply HB']; lia.
Qed.

Lemma worst_pair_same past future n B B' F F' e T t j k y : (t <= T)%nat ->
  (forall s, (s < T)%nat -> B s = B' s) -> (forall s, (s < T)%nat -> F s = F' s) ->
  worst_pair past future n B F e T t j k y -> worst_pair past future n B' F' e T t j k y.
Proof.
  intros Ht HB HF [l [m [Hl [Hm ->]]]]. exists l, m. split; [|split; [|reflexivity]].
  - apply (told_same past n B B' e e t j k l); auto. intros s Hs. apply HB. lia.
  - apply (told_same future n (fun s => F (T - S s)%nat) _ (turned T e) (turned T e) (T - t) j k
    m); auto. intros s Hs. apply HF. lia.
Qed.

Lemma worst_pair_exists past future n B F e T t j k : (forall s, stochastic n (B s)) ->
  (forall s, stochastic n (F s)) -> (forall s, 0 <= e s) ->
  is_pair n j k -> exists y, worst_pair past future n B F e T t j k y.
Proof.
  intros HB HF He [Hj [Hk _]]. destruct (told_exists past n B e t j k HB He Hj Hk) as [l Hl].
  destruct (told_exists future n (fun s => F (T - S s)%nat) (turned T e) (T - t) j k (fun s =>
    HF _) (fun s => He _) Hj Hk) as [m Hm].
  exists (exp (e t) * (l * m)), l, m. auto.
Qed.

Lemma worst_pair_rises past future n B F e e' T t j k y z : (forall s, stochastic n (B s)) ->
  (forall s, stochastic n (F s)) -> (forall s, 0 <= e s <= e' s) ->
  is_pair n j k -> worst_pair past future n B F e T t j k y -> worst_pair past future n B F e' T t
    j k z -> y <= z.
Proof.
  intros HB HF He [Hj [Hk _]] [l [m [Hl [Hm ->]]]] [l' [m' [Hl' [Hm' ->]]]].
  assert (He0 : forall s, 0 <= e s) by (intros s; apply He).
  pose proof (told_rises past n B e e' t j k l l' HB He Hj Hk Hl Hl') as H1.
  pose proof (told_rises future n (fun s => F (T - S s)%nat) (turned T e) (turned T e') (T - t) j k
    m m' (fun s => HF _) (fun s => He _) Hj Hk Hm Hm') as H2.
  pose proof (told_least past n B e t j k l HB He0 Hj Hk Hl).
    pose proof (told_least future n _ (turned T e) (T - t) j k m (fun s => HF _) (fun s => He0 _)
    Hj Hk Hm).
  pose proof (exp_pos (e t)). pose proof (exp_le _ _ (proj2 (He t))). apply Rmult_le_compat;
    try lra; [|apply Rmult_le_compat; lra]. nra.
Qed.

Lemma ends_span past future n B F e e1 e2 T t x y : (forall s, stochastic n (B s)) ->
  (forall s, stochastic n (F s)) ->
  (forall s, 0 <= e1 s <= e s) -> (forall s, e s <= e2 s) -> (0 < snd x <= fst x)%Z ->
    (0 < snd y <= fst y)%Z ->
  greatest_pair n (worst_pair past future n B F e1 T t) (quotient x) ->
    greatest_pair n (worst_pair past future n B F e2 T t) (quotient y) ->
  greatest_spans n (x, y) (worst_pair past future n B F e T t).
Proof.
  intros HB HF H1 H2 Hx Hy [[j [k [Hjk Hlow]]] _] [_ Hhigh]. split; [assumption|].
    split; [assumption|]. split.
  - destruct (worst_pair_exists past future n B F e T t j k HB HF) as [z Hz];
    [intros s; specialize (H1 s); lra|assumption|].
    exists j, k, z. split; [assumption|]. split; [assumption|].
      eapply (worst_pair_rises past future n B F e1 e); eauto.
  - intros j' k' z Hjk' Hz. destruct (worst_pair_exists past future n B F e2 T t j' k' HB HF)
    as [w Hw];
      [intros s; specialize (H1 s); specialize (H2 s); lra|assumption|]. apply Rle_trans with w;
        [|apply (Hhigh j' k'); assumption].
    eapply (worst_pair_rises past future n B F e e2); eauto. intros s. specialize (H1 s).
      specialize (H2 s). lra.
Qed.

(** Steps for all times: those that are read, and any others after them. *)
Definition prolonged (Ms : list distributions) (s : nat) : nat -> nat -> R :=
  if Nat.ltb s (List.length Ms) then matrix_of Ms s else fun a b => if Nat.eqb b a then 1 else 0.

Lemma prolonged_stochastic n Ms : (forall M, In M Ms -> sized n M) -> forall s,
  stochastic n (prolonged Ms s).
Proof.
  intros H s. unfold prolonged. destruct (Nat.ltb_spec s (List.length Ms)) as [Hs|Hs].
  - destruct (H (nth s Ms no_matrix) (nth_In _ _ Hs)) as [En HM]. unfold matrix_of.
    rewrite <- En in *. apply well_formed_stochastic. assumption.
  - intros a Ha. split; [intros b _; destruct (Nat.eqb b a); lra|].
    apply (sum_single n a (fun _ => 1)). assumption.
Qed.

Definition is_known (size : nat) : bool := negb (Nat.eqb size 0).

Lemma prolonged_steps n size Ms count : (2 <= n)%nat -> (size = 0 \/ size = n)%nat ->
  List.length Ms = count -> (forall M, In M Ms -> sized size M) ->
  let used := if Nat.eqb size 0 then [] else Ms in
  (forall s, stochastic n (prolonged used s)) /\ steps_are (is_known size) n used (prolonged used)
    0 count /\
  forall past h e j k x, (forall s, (s < h)%nat -> (s < count)%nat) ->
    told (past && is_known size) n (prolonged used) e h j k x <-> told (past && is_known size) n
      (matrix_of Ms) e h j k x.
Proof.
  intros Hn Hsize L HMs used. unfold is_known, used. destruct (Nat.eqb_spec size 0) as [E|N];
    cbn [negb].
  - split; [apply prolonged_stochastic; intros M []|]. split; [reflexivity|].
    intros past h e j k x _. rewrite andb_false_r. cbn. tauto.
  - destruct Hsize as [Hsize| ->]; [contradiction|]. split; [apply prolonged_stochastic;
    assumption|].
    assert (Hsame : forall s, (s < count)%nat -> prolonged Ms s = matrix_of Ms s).
    { intros s Hs. unfold prolonged. destruct (Nat.ltb_spec s (List.length Ms));
      [reflexivity|lia]. }
    split.
    + split; [assumption|]. intros i Hi. split; [apply HMs, nth_In; lia|]. rewrite Nat.add_0_l,
      Hsame by assumption. reflexivity.
    + intros past h e j k x Hh. split; apply told_same; auto; intros s Hs; first [apply Hsame;
      auto|symmetry; apply Hsame; auto].
Qed.

Lemma stream_sizes bits backward forward epsilons s : read_stream_of bits backward forward epsilons
  = Done s ->
  (past_size s = 0 \/ future_size s = 0 \/ past_size s = future_size s)%nat.
Proof.
  unfold read_stream_of. intros H. apply bind_done in H. destruct H as [asked [_ H]].
    apply bind_done in H. destruct H as [budgets [_ H]].
  apply bind_done in H. destruct H as [[nB Bs] [_ H]]. apply bind_done in H.
    destruct H as [[nF Fs] [_ H]].
  apply bind_done in H. destruct H as [? [Hs H]]. injection H as <-. cbn [past_size future_size].
    apply inside_done, require_done in Hs.
  apply orb_prop in Hs. destruct Hs as [Hs|Hs]; [apply orb_prop in Hs; destruct Hs as [Hs|Hs]|];
    apply Nat.eqb_eq in Hs; auto.
Qed.

(** Of a request: at each time what is answered encloses the greatest BPL, FPL and TPL over all
    mechanisms, as ratios: over all pairs of values the greatest e^eps_t B_t(j,k), e^eps_t F_t(j,k)
    and e^eps_t B_t(j,k) F_t(j,k) of the sweep's zeros, 1 where a correlation is not known. It is
    them where each e^eps is written as a rational. Of one value alone nothing is told, at no
    time. *)
Theorem tight_sound bits hints backward forward epsilons found : answer_tight bits hints backward
  forward epsilons = Done found ->
  exists ls nB nF Bs Fs, states_stream backward forward epsilons ls nB nF Bs Fs /\
  (exists e, budgets ls e /\ forall s, 0 <= e s) /\
  let T := (List.length ls - 1)%nat in let n := values_of nB nF in
    List.length found = List.length ls /\
  (n = 1%nat -> forall three, In three found ->
    three = (nothing_told, nothing_told, nothing_told)) /\
  (n <> 1%nat -> forall e t bpl fpl tpl, budgets ls e -> (forall s, 0 <= e s) ->
    nth_error found t = Some (bpl, fpl, tpl) ->
  let worst past future := worst_pair (past && is_known nB) (future && is_known nF) n (steps_of Bs)
    (steps_of Fs) e T t in
  greatest_spans n bpl (worst true false) /\ greatest_spans n fpl (worst false true) /\
    greatest_spans n tpl (worst true true) /\
  ((forall l, In l ls -> exists y, l = Log y) -> fst bpl = snd bpl /\ fst fpl = snd fpl /\
    fst tpl = snd tpl)).
Proof.
  unfold answer_tight. intros H. apply bind_done in H. destruct H as [s [Hs H]]. cbv zeta in H.
  destruct (read_stream_of_sound _ _ _ _ _ Hs) as [Hstates [LB [GB [LF [GF Hbudgets]]]]].
  pose proof (stream_sizes _ _ _ _ _ Hs) as Hsizes.
  set (asked := budgets_of s) in *. set (n := values_of (past_size s) (future_size s)) in *.
  assert (Hsome : exists e, budgets (map fst asked) e /\ forall s, 0 <= e s).
  { destruct (budgets_some (map fst asked)) as [e He].
    { rewrite Forall_forall. intros l Hl. apply in_map_iff in Hl. destruct Hl as [[l' r] [<- Hlr]].
      destruct (Hbudgets _ _ Hlr) as [v [Ev [Hv _]]]. cbn. rewrite Ev. exact Hv. }
    exists (fun t => Rabs (e t)). split; [|intros t; apply Rabs_pos]. intros t Ht.
      specialize (He t Ht). destruct He as [H0 He].
    rewrite Rabs_right by lra. split; assumption. }
  destruct (Nat.eqb_spec n 1) as [E1|N1].
  { injection H as <-. exists (map fst asked), (past_size s), (future_size s),
      (map given (past_steps s)), (map given (future_steps s)).
    split; [assumption|]. split; [assumption|]. cbv zeta. fold n. rewrite !map_length.
    split; [reflexivity|]. split; [|contradiction]. intros _ three Hin. apply in_map_iff in Hin.
    destruct Hin as [? [<- _]]. reflexivity. }
  apply bind_done in H. destruct H as [low [Hlow H]]. apply bind_done in H.
    destruct H as [high [Hhigh H]]. injection H as <-.
  assert (Hn2 : (2 <= n)%nat).
  { unfold n, values_of in *. destruct (Nat.max (past_size s) (future_size s)) as [|[|]]; lia. }
  assert (Hn : (past_size s = 0 \/ past_size s = n)%nat /\ (future_size s = 0 \/ future_size s =
    n)%nat).
  { unfold n, values_of in *. destruct (Nat.max (past_size s) (future_size s)) eqn:E; lia. }
  set (buds := map snd asked) in *. set (T := (List.length asked - 1)%nat) in *.
  assert (Hone : (1 <= List.length asked)%nat).
  { destruct Hstates as [[l [El F]] _]. unfold read_stream_of in Hs. apply bind_done in Hs.
    destruct Hs as [items [Hi _]].
    apply inside_done in Hi. unfold some_items in Hi. subst epsilons. cbn in Hi.
      apply bind_done in Hi. destruct Hi as [? [_ Hi]].
    apply bind_done in Hi. destruct Hi as [? [Hi _]]. apply require_done in Hi.
      destruct l as [|first rest]; [discriminate|].
    assert (Hne : map fst asked <> []) by (intros E; rewrite E in F; inversion F).
    destruct (List.length asked) eqn:E; [|lia]. apply length_zero_iff_nil in E. rewrite E in Hne.
      contradiction Hne. reflexivity. }
  destruct (prolonged_steps n (past_size s) (past_steps s) T Hn2 (proj1 Hn) LB GB)
    as [SB [AB EB]].
  destruct (prolonged_steps n (future_size s) (future_steps s) T Hn2 (proj2 Hn) LF GF)
    as [SF [AF EF]].
  set (Bs := if Nat.eqb (past_size s) 0 then [] else past_steps s) in *.
    set (Fs := if Nat.eqb (future_size s) 0 then [] else future_steps s) in *.
  set (B := prolonged Bs) in *. set (F := prolonged Fs) in *.
  set (seen := is_known (past_size s)) in *. set (seen' := is_known (future_size s)) in *.
  pose proof (two_to_positive 96) as Hunit. change (0 < sweep_unit)%Z in Hunit.
  assert (Lbuds : List.length buds = List.length asked) by apply map_length.
  assert (Hone_end : forall (pick : ratios -> Z * Z) e list, pick nothing_told = (1, 1)%Z ->
    (forall s, 0 <= e s) ->
    (forall i, (i < List.length buds)%nat -> (0 < snd (pick (nth i buds nothing_told)) <= fst
      (pick (nth i buds nothing_told)))%Z /\
       quotient (pick (nth i buds nothing_told)) = exp (e i)) ->
    worst_times hints most_rounds n sweep_unit ((1, 1), (1, 1), (1, 1))%Z [] Bs Fs (map pick buds)
      = Done list ->
    List.length list = List.length asked /\ forall i x, nth_error list i = Some x ->
      worst_three seen seen' n B F e T i x).
  { intros pick e list Ep He Hpick Hlist.
    destruct (worst_times_sound hints most_rounds seen seen' n sweep_unit B F e T Hn2 Hunit SB SF
      He (map pick buds) ((1, 1), (1, 1), (1, 1))%Z 0%nat [] Bs Fs list) as [L1 L2].
    - rewrite map_length, Lbuds. unfold T. lia.
    - intros i Hi. rewrite map_length in Hi. rewrite (nth_indep _ _ (pick nothing_told))
      by (rewrite map_length; assumption). rewrite map_nth. apply Hpick. assumption.
    - unfold seen. destruct (is_known _); [exact I|reflexivity].
    - rewrite map_length, Lbuds. exact AB.
    - rewrite map_length, Lbuds. exact AF.
    - exact Hlist.
    - split; [rewrite L1, map_length; assumption|]. exact L2. }
  assert (Hspans : forall e, budgets (map fst asked) e -> budgets_span buds e) by (intros e He;
    apply (budgets_read asked e Hbudgets He)).
  assert (Hboth : forall e, budgets (map fst asked) e -> (forall s, 0 <= e s) -> exists e1 e2,
    (forall s, 0 <= e1 s <= e s) /\ (forall s, e s <= e2 s) /\ List.length low = List.length asked
      /\ List.length high = List.length asked /\
    (forall i x, nth_error low i = Some x -> worst_three seen seen' n B F e1 T i x) /\
    (forall i x, nth_error high i = Some x -> worst_three seen seen' n B F e2 T i x)).
  { intros e He He0. specialize (Hspans e He).
    set (e1 := fun i => if Nat.ltb i (List.length buds)
      then ln (quotient (fst (nth i buds nothing_told))) else 0).
    set (e2 := fun i => if Nat.ltb i (List.length buds)
      then ln (quotient (snd (nth i buds nothing_told))) else e i).
    assert (Hin : forall i, (i < List.length buds)%nat -> exp (e1 i) = quotient
      (fst (nth i buds nothing_told)) /\
      exp (e2 i) = quotient (snd (nth i buds nothing_told))).
    { intros i Hi. destruct (Hspans i Hi) as [P1 [P2 _]]. pose proof (quotient_one _ P1).
      pose proof (quotient_one _ P2).
      unfold e1, e2. destruct (Nat.ltb_spec i (List.length buds)); [|lia]. rewrite !exp_ln by lra.
        auto. }
    assert (H1 : forall i, 0 <= e1 i <= e i).
    { intros i. destruct (Nat.ltb_spec i (List.length buds)) as [Hi|Hi].
      - destruct (Hspans i Hi) as [P1 [P2 P3]]. pose proof (quotient_one _ P1).
        destruct (Hin i Hi) as [E1 _].
        split; apply exp_le_inv; rewrite E1, ?exp_0; lra.
      - unfold e1. destruct (Nat.ltb_spec i (List.length buds)); [lia|]. specialize (He0 i). lra. }
    assert (H2 : forall i, e i <= e2 i).
    { intros i. destruct (Nat.ltb_spec i (List.length buds)) as [Hi|Hi].
      - destruct (Hspans i Hi) as [P1 [P2 P3]]. destruct (Hin i Hi) as [_ E2]. apply exp_le_inv.
        rewrite E2. lra.
      - unfold e2. destruct (Nat.ltb_spec i (List.length buds)); [lia|]. lra. }
    destruct (Hone_end fst e1 low eq_refl (fun i => proj1 (H1 i))) as [Ll Hl]; auto.
    { intros i Hi. destruct (Hspans i Hi) as [P1 _]. split; [exact P1|]. symmetry. apply Hin.
      assumption. }
    assert (He2 : forall i, 0 <= e2 i) by (intros i; specialize (H1 i); specialize (H2 i); lra).
    destruct (Hone_end snd e2 high eq_refl He2) as [Lh Hh].
    { intros i Hi. destruct (Hspans i Hi) as [_ [P2 _]]. split; [exact P2|]. symmetry. apply Hin.
      assumption. }
    { destruct (forallb is_exact buds) eqn:E; [|exact Hhigh]. injection Hhigh as <-.
      rewrite <- Hlow. f_equal.
      apply map_ext_in. intros r Hr. rewrite forallb_forall in E. symmetry. apply is_exact_spec, E,
        Hr. }
    exists e1, e2. auto 10. }
  exists (map fst asked), (past_size s), (future_size s), (map given (past_steps s)),
    (map given (future_steps s)).
  split; [assumption|]. split; [assumption|]. rewrite map_length. fold T. fold n. cbv zeta.
  destruct Hsome as [e0 [He0 Hpos0]]. destruct (Hboth e0 He0 Hpos0)
    as [_ [_ [_ [_ [Llow [Lhigh _]]]]]].
  split; [rewrite map_length, combine_length; lia|]. split; [contradiction|].
  intros _ e t bpl fpl tpl He Hpos Ht.
    destruct (Hboth e He Hpos) as [e1 [e2 [H1 [H2 [_ [_ [Hl Hh]]]]]]].
  rewrite nth_error_map in Ht. destruct (nth_error (combine low high) t) as [[x y]|] eqn:Exy;
    [|discriminate]. cbn in Ht. injection Ht as Ht.
  assert (Hlt : (t < List.length asked)%nat).
  { assert (N : nth_error (combine low high) t <> None) by congruence. apply nth_error_Some in N.
    rewrite combine_length in N. lia. }
  apply (nth_error_nth _ _ ((1, 1, (1, 1), (1, 1)), (1, 1, (1, 1), (1, 1)))%Z) in Exy.
    rewrite combine_nth in Exy by exact (eq_trans Llow (eq_sym Lhigh)). injection Exy as Ex Ey.
  assert (Nx : nth_error low t = Some x) by (rewrite <- Ex; apply nth_error_nth';
    exact (eq_ind_r (fun m => (t < m)%nat) Hlt Llow)).
  assert (Ny : nth_error high t = Some y) by (rewrite <- Ey; apply nth_error_nth';
    exact (eq_ind_r (fun m => (t < m)%nat) Hlt Lhigh)).
  specialize (Hl t x Nx). specialize (Hh t y Ny). destruct x as [[b f] both], y as [[b' f'] both'].
    cbn in Ht. injection Ht as <- <- <-.
  destruct Hl as [[B1 B2] [[F1 F2] [T1 T2]]]. destruct Hh as [[B1' B2'] [[F1' F2'] [T1' T2']]].
  assert (Hsteps : forall past future j k z, worst_pair (past && seen) (future && seen') n B F e T
    t j k z <->
    worst_pair (past && seen) (future && seen') n (steps_of (map given (past_steps s)))
      (steps_of (map given (future_steps s))) e T t j k z).
  { intros past future j k z. unfold worst_pair.
    assert (EB' : forall l, told (past && seen) n B e t j k l <-> told (past && seen) n
      (steps_of (map given (past_steps s))) e t j k l).
    { intros l. rewrite EB by (intros; lia). split; apply told_same; auto; intros r _; [|symmetry];
      apply matrix_of_map. }
    assert (EF' : forall m, told (future && seen') n (fun r => F (T - S r)%nat) (turned T e)
      (T - t) j k m <->
      told (future && seen') n (fun r => steps_of (map given (future_steps s)) (T - S r)%nat)
        (turned T e) (T - t) j k m).
    { intros m. assert (Hpoint : seen' = true -> forall r, (r < T)%nat ->
      F r = steps_of (map given (future_steps s)) r).
      { intros Es r Hr. unfold F, Fs, seen', is_known in *. destruct (Nat.eqb (future_size s) 0);
        [discriminate|]. unfold prolonged.
        rewrite <- matrix_of_map. destruct (Nat.ltb_spec r (List.length (future_steps s)));
          [reflexivity|lia]. }
      destruct (future && seen')%bool eqn:E; [|cbn; tauto]. apply andb_prop in E.
        destruct E as [_ E].
      split; apply told_same; auto; intros r Hr; [|symmetry]; apply Hpoint; auto; lia. }
    split; intros [l [m [Hl [Hm ->]]]]; exists l, m; (split; [apply EB'; assumption|split;
      [apply EF'; assumption|reflexivity]]). }
  assert (Hends : forall past future u v, (0 < snd u <= fst u)%Z -> (0 < snd v <= fst v)%Z ->
    greatest_pair n (worst_pair (past && seen) (future && seen') n B F e1 T t) (quotient u) ->
    greatest_pair n (worst_pair (past && seen) (future && seen') n B F e2 T t) (quotient v) ->
    greatest_spans n (u, v) (worst_pair (past && seen) (future && seen') n
      (steps_of (map given (past_steps s))) (steps_of (map given (future_steps s))) e T t)).
  { intros past future u v Pu Pv Gu Gv. destruct (ends_span _ _ n B F e e1 e2 T t u v SB SF H1 H2
    Pu Pv Gu Gv) as [Q1 [Q2 [[j [k [z [Hjk [Hz Q3]]]]] Q4]]].
    split; [assumption|]. split; [assumption|]. split; [exists j, k, z; split; [assumption|];
      split; [apply Hsteps; assumption|assumption]|].
    intros j' k' z' Hjk' Hz'. apply (Q4 j' k'); [assumption|]. apply Hsteps. assumption. }
  rewrite map_length. fold T. split; [exact (Hends true false b b' B1 B1' B2 B2')|].
    split; [exact (Hends false true f f' F1 F1' F2 F2')|].
    split; [exact (Hends true true both both' T1 T1' T2 T2')|].
  intros Hlog. pose proof (budgets_exact asked Hbudgets Hlog) as Hexact. fold buds in Hexact.
  assert (E : forallb is_exact buds = true).
  { apply forallb_forall. intros r Hr. specialize (Hexact r Hr). unfold is_exact.
    rewrite Hexact, !Z.eqb_refl. reflexivity. }
  rewrite E in Hhigh. injection Hhigh as <-. rewrite Nx in Ny. injection Ny as -> -> ->. auto.
Qed.
