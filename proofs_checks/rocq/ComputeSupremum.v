(** The supremum of the recursion in integers: the root of the piece of L within which it lies. *)

From TPL Require Export ComputePieces.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** The program *)

(** Whether e^eps g is at most e^alpha there, g being the piece of a point: e = e^eps, x = e^alpha.
    *)
Definition stopped (c : Z) (e : Z * Z) (p : point) (x : Z * Z) : bool :=
  fst e * fst (at_ratio c x p) * snd x <=? snd e * fst x * snd (at_ratio c x p).
Definition never_stops (c : Z) (e : Z * Z) (p : point) : bool := (snd p =? 0) && (c * snd e <=? fst
  p * fst e).

(** Where it stops: the cases of Theorem 11. *)
Definition root_of (c : Z) (e : Z * Z) (p : point) : written_level :=
  let (a, b) := e in
  let (u, v) := p in
  if v =? 0 then Log ((c - u) * a, Z.to_pos (c * b - u * a))
  else
    let middle := v * b + u * a - c * b in
    Log_surd middle false (4 * v * a * (c - u) * b + middle * middle) (2 * v * b).

(** The piece that does not stop where it begins, but before its end. *)
Fixpoint stopping (c : Z) (e : Z * Z) (p : point) (from : Z * Z) (l : turns) : result written_level
  :=
  if stopped c e p from then Undecided "" "no piece stops it" else
  match l with
  | [] => if never_stops c e p then Done Infinite else Done (root_of c e p)
  | (x, q) :: rest => if stopped c e p x then Done (root_of c e p) else stopping c e q x rest
  end.
Definition supremum_at (M : distributions) (first : point) (l : turns) (e : Z * Z) :
  result written_level :=
  if fst e =? snd e then Done (Log (1, 1%positive)) else stopping (common M) e first (1, 1) l.

(** It has no bound; or fractions at most and at least its ratio, with its exact form where e^eps
    is written as a rational. *)
Inductive supremum := Unbounded | Supremum (exact_form : option written_level) (between : ratios).
Definition answer_supremum (bits : Z) (table epsilon : json) : result supremum :=
  let! M := inside "matrix" (read_matrix table) in
  let! (_, e) := inside "epsilon" (read_finite bits epsilon) in
  let! (first, l) := proved_pieces most_rounds M in
  let! least := supremum_at M first l (fst e) in
  let! most := if is_exact e then Done least else supremum_at M first l (snd e) in
  match least, most with
  | Infinite, Infinite => Done Unbounded
  | _, _ =>
      let! below := enclose bits least in
      let! above := enclose bits most in
      let! _ := within_limit (finite_ratio (low below) && finite_ratio (high above))
        "more bits are needed" in
      Done (Supremum (if is_exact e then Some least else None) (low below, high above))
  end.

(** The same with smaller numbers, by a divisor and a root that are guessed elsewhere. *)
Definition reduced (divisor root : Z) (l : written_level) : written_level :=
  match l with
  | Log_surd p false n c =>
      let k := divisor in
      if (0 <=? root) && (root * root =? n) && (0 <? c) then Log (p + root, Z.to_pos c)
      else if (0 <? k) && (k * (p / k) =? p) && (k * (c / k) =? c) && (k * k * (n / (k * k)) =? n)
      then Log_surd (p / k) false (n / (k * k)) (c / k)
      else l
  | _ => l
  end.

(** ** What that means *)

Open Scope R_scope.

(** The supremum that is written: none, or the least upper bound. *)
Definition supremum_is (n : nat) (P : nat -> nat -> R) (eps : R) (s : written_level) : Prop :=
  match of_level s with Some x => is_supremum n P eps x | None => unbounded n P eps end.

Lemma stopped_spec c e p x q d : (0 < c)%Z -> (0 < snd e)%Z -> (0 < snd x)%Z ->
  IZR (fst p) = IZR c * q -> IZR (snd p) = IZR c * d ->
  (stopped c e p x = true <-> quotient e * (q * (quotient x - 1) + 1) <= quotient x *
    (d * (quotient x - 1) + 1)).
Proof.
  intros Hc He Hx Hq Hd. unfold stopped, at_ratio, quotient. destruct x as [a b].
    cbn [fst snd] in *. apply IZR_lt in Hc, He, Hx.
  set (k := IZR c * IZR b * IZR b * IZR (snd e)).
  assert (Hk : 0 < k) by (unfold k; repeat apply Rmult_lt_0_compat; assumption).
  assert (E1 : IZR (fst e * (fst p * (a - b) + c * b) * b) = k * (IZR (fst e) / IZR (snd e) *
    (q * (IZR a / IZR b - 1) + 1))).
  { rewrite !mult_IZR, plus_IZR, !mult_IZR, minus_IZR, Hq. unfold k. field. lra. }
  assert (E2 : IZR (snd e * a * (snd p * (a - b) + c * b)) = k * (IZR a / IZR b *
    (d * (IZR a / IZR b - 1) + 1))).
  { rewrite !mult_IZR, plus_IZR, !mult_IZR, minus_IZR, Hd. unfold k. field. lra. }
  rewrite Z.leb_le. split; intros H.
  - apply IZR_le in H. rewrite E1, E2 in H. apply Rmult_le_reg_l with k; assumption.
  - apply le_IZR. rewrite E1, E2. apply Rmult_le_compat_l; lra.
Qed.

(** The written root is that of Theorem 11. *)
Lemma root_of_spec c e p q d : (0 < c)%Z -> (0 < snd e)%Z -> IZR (fst p) = IZR c * q ->
  IZR (snd p) = IZR c * d ->
  0 <= d -> (d = 0 -> q * quotient e < 1) -> of_level (root_of c e p) = Some
    (ln (root q d (quotient e))).
Proof.
  intros Hc He Hq Hd Hd0 Hfin. unfold root_of. destruct e as [a b], p as [u v].
    unfold quotient in *. cbn [fst snd] in *.
  apply IZR_lt in Hc as HC. apply IZR_lt in He as HB. unfold root.
    destruct (Z.eqb_spec v 0) as [->|Hv].
  - assert (Ed : d = 0) by (apply Rmult_eq_reg_l with (IZR c); [lra|apply Rgt_not_eq; assumption]).
    subst d. specialize (Hfin eq_refl).
    destruct (Req_EM_T 0 0) as [_|N]; [|contradiction]. cbn [of_level]. unfold of_rational.
      cbn [fst snd]. do 2 f_equal.
    assert (Hpos : (0 < c * b - u * a)%Z).
    { apply lt_IZR. rewrite minus_IZR, !mult_IZR, Hq.
      replace (IZR c * IZR b - IZR c * q * IZR a) with (IZR c * IZR b * (1 - q * (IZR a / IZR b)))
        by (field; lra).
      apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; assumption|lra]. }
    rewrite Z2Pos.id by assumption. apply IZR_lt in Hpos. rewrite minus_IZR, !mult_IZR, Hq in *.
      rewrite minus_IZR, Hq.
    assert (Hw : 0 < IZR b - q * IZR a) by (apply Rmult_lt_reg_l with (IZR c); [assumption|lra]).
    field. repeat split; lra.
  - assert (Hd' : d <> 0) by (intros ->; apply Hv, eq_IZR; lra). destruct (Req_EM_T d 0) as [N|_];
    [contradiction|].
    cbn [of_level]. do 2 f_equal. unfold surd. set (e := IZR a / IZR b). set (t := d + q * e - 1).
    set (D := 4 * d * e * (1 - q) + t * t).
    assert (Em : IZR (v * b + u * a - c * b) = IZR c * IZR b * t).
    { rewrite minus_IZR, plus_IZR, !mult_IZR, Hq, Hd. unfold t, e. field. lra. }
    assert (En : IZR (4 * v * a * (c - u) * b + (v * b + u * a - c * b) * (v * b + u * a - c * b))
      = (IZR c * IZR b) * (IZR c * IZR b) * D).
    { rewrite plus_IZR, (mult_IZR (v * b + u * a - c * b)), Em, !mult_IZR, minus_IZR, Hq, Hd.
      unfold D, e. field. lra. }
    rewrite En, Em, !mult_IZR, Hd. assert (Hcb : 0 < IZR c * IZR b) by (apply Rmult_lt_0_compat;
      assumption).
    rewrite sqrt_mult_alt by (left; apply Rmult_lt_0_compat; assumption).
      rewrite sqrt_square by lra.
    replace (sqrt D + d + q * e - 1) with (sqrt D + t) by (unfold t; ring). field. lra.
Qed.

Lemma level_rises_in n P eps eps' t : stochastic n P -> 0 <= eps <= eps' ->
  level n P eps t <= level n P eps' t.
Proof.
  intros HP He. unfold level. induction t as [|t IH]; cbn [BPL]; [lra|].
  pose proof (level_nonneg n P eps t HP (proj1 He)) as H0. unfold level in H0.
    pose proof (loss_rises n P _ _ HP (conj H0 IH)). lra.
Qed.

Lemma root_fixed q d e : 0 <= q <= 1 -> 0 <= d -> 1 < e -> (d = 0 -> q * e < 1) -> let r :=
  root q d e in
  e * (q * (r - 1) + 1) = r * (d * (r - 1) + 1).
Proof.
  intros Hq Hd He Hfin r. unfold r, root. destruct (Req_EM_T d 0) as [->|Hd0].
  - specialize (Hfin eq_refl). field. lra.
  - set (b := d + q * e - 1). set (D := 4 * d * e * (1 - q) + b * b).
    assert (HD : 0 <= D).
    { assert (0 <= 4 * d * e * (1 - q)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
      unfold D. nra. }
    set (s := sqrt D). assert (Hs : s * s = D) by (apply sqrt_sqrt; assumption).
    replace (s + d + q * e - 1) with (s + b) by (unfold b; ring). set (x := (s + b) / (2 * d)).
    assert (Hx : 2 * d * x = s + b) by (unfold x; field; assumption).
    apply Rmult_eq_reg_l with (4 * d); [|lra].
    assert (E : 4 * d * (x * (d * (x - 1) + 1) - e * (q * (x - 1) + 1)) = (2 * d * x - b) *
      (2 * d * x - b) - s * s).
    { rewrite Hs. unfold D, b. ring. }
    rewrite Hx in E. replace ((s + b - b) * (s + b - b) - s * s) with 0 in E by ring. lra.
Qed.

(** The root of a piece that is L where its root is has the supremum there. *)
Lemma root_is_supremum n P eps j k S : stochastic n P -> 0 < eps -> (j < n)%nat -> (k < n)%nat ->
  let q := sum_on n S (P j) in let d := sum_on n S (P k) in let r := root q d (exp eps) in
  (d = 0 -> q * exp eps < 1) -> 1 <= r -> loss n P (ln r) = ln (piece q d r) ->
    is_supremum n P eps (ln r).
Proof.
  intros HP He Hj Hk q d r Hfin Hr Hloss.
  assert (He1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; assumption).
  pose proof (sum_on_bounds n S (P j) (HP j Hj)) as Bq.
    pose proof (sum_on_bounds n S (P k) (HP k Hk)) as Bd. fold q in Bq. fold d in Bd.
  pose proof (root_fixed q d (exp eps) Bq (proj1 Bd) He1 Hfin) as E. fold r in E. cbv zeta in E.
  assert (Hden : 0 < d * (r - 1) + 1) by (assert (0 <= d * (r - 1)) by (apply Rmult_le_pos; lra);
    lra).
  assert (Hnum : 0 < q * (r - 1) + 1) by (assert (0 <= q * (r - 1)) by (apply Rmult_le_pos; lra);
    lra).
  assert (Ep : exp eps * piece q d r = r).
  { unfold piece. apply Rmult_eq_reg_r with (d * (r - 1) + 1); [|lra]. rewrite <- E. field. lra. }
  assert (Hp : 0 < piece q d r) by (unfold piece; apply Rdiv_lt_0_compat; assumption).
  assert (Hfixed : loss n P (ln r) + eps = ln r).
  { rewrite Hloss. rewrite <- Ep at 2. rewrite ln_mult, ln_exp by (auto using exp_pos). ring. }
  assert (Hle : exp eps <= r).
  { rewrite <- Ep. rewrite <- (Rmult_1_r (exp eps)) at 1. apply Rmult_le_compat_l; [lra|].
    apply Rnot_lt_le. intros Hlt. pose proof (remark_1 n P (ln r) HP) as Hrem.
    assert (H0 : 0 <= ln r) by (rewrite <- ln_1; destruct Hr as [Hr|<-];
      [left; apply ln_increasing; lra|lra]).
    specialize (Hrem H0). rewrite Hloss in Hrem. rewrite <- ln_1 in Hrem.
      destruct Hrem as [Hrem _].
    assert (ln (piece q d r) < ln 1) by (apply ln_increasing; assumption). lra. }
  split.
  - intros x [t ->]. revert t. apply level_bound; auto; [lra| |lra].
    rewrite <- (ln_exp eps). destruct Hle as [Hle|<-]; [left; apply ln_increasing;
      [apply exp_pos|assumption]|lra].
  - intros u Hu. apply (bounded_below_rule n P eps r j k S HP He Hr Hj Hk).
    + change (r <= exp eps * piece q d r). lra.
    + intros t. apply Hu. exists t. reflexivity.
Qed.

Lemma stopping_sound M e eps : let n := List.length (given M) in let P := of_matrix (given M) in
  well_formed n M -> (0 < snd e)%Z -> 0 < eps -> quotient e = exp eps -> forall l p x start s,
  is_point M p -> are_points M l -> (0 < snd x)%Z -> 1 <= quotient x -> begins x start ->
    rising_from x l = true ->
  (forall q d ends alpha, 0 <= alpha -> In (q, d, ends) (map written_of (parts_of (common M) p
    start l)) -> within_piece (q, d, ends) alpha ->
     loss n P alpha = ln (piece (of_rational q) (of_rational d) (exp alpha))) ->
  stopping (common M) e p x l = Done s -> supremum_is n P eps s.
Proof.
  intros n P HM He Heps Ee. pose proof (well_formed_stochastic M HM) as HP. fold n P in HP.
    pose proof (proj1 HM) as Hc. pose proof (IZR_lt _ _ Hc) as HC.
  assert (He1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; assumption).
  (* the piece of one point, where it is L up to an end *)
  assert (Hone : forall p j k S x start stop last, (j < n)%nat -> (k < n)%nat ->
    IZR (fst p) = IZR (common M) * sum_on n S (P j) -> IZR (snd p) = IZR (common M) * sum_on n S
      (P k) ->
    (0 < snd x)%Z -> 1 <= quotient x -> begins x start ->
    (forall alpha, 0 <= alpha -> within_piece (written_of (part_of (common M) p start stop)) alpha
      ->
       loss n P alpha = ln (piece (of_rational (fst p, Z.to_pos (common M))) (of_rational (snd p,
         Z.to_pos (common M))) (exp alpha))) ->
    stopped (common M) e p x = false -> (sum_on n S (P k) = 0 -> sum_on n S (P j) * exp eps < 1) ->
    of_level (fst stop) = last -> match last with Some y => root (sum_on n S (P j))
      (sum_on n S (P k)) (exp eps) <= exp y | None => True end ->
    supremum_is n P eps (root_of (common M) e p)).
  { intros p j k S x start stop last Hj Hk Eu Ev Hx Hx1 [Ef _] Hloss Hstop Hfin Elast Hlast.
    pose proof (sum_on_bounds n S (P j) (HP j Hj)) as Bq.
      pose proof (sum_on_bounds n S (P k) (HP k Hk)) as Bd.
    set (q := sum_on n S (P j)) in *. set (d := sum_on n S (P k)) in *.
      set (r := root q d (exp eps)) in *.
    assert (Hlow : quotient x < r).
    { apply Rnot_le_lt. intros Hle. apply (root_rule q d (exp eps) (quotient x) Bq (proj1 Bd) He1
      Hfin Hx1) in Hle.
      rewrite <- Ee in Hle. apply (stopped_spec (common M) e p x q d Hc He Hx Eu Ev) in Hle.
        congruence. }
    unfold supremum_is. rewrite (root_of_spec (common M) e p q d Hc He Eu Ev (proj1 Bd));
      rewrite Ee; [|assumption]. fold r.
    apply (root_is_supremum n P eps j k S HP Heps Hj Hk Hfin); fold q d r; [lra|].
    assert (Er : exp (ln r) = r) by (apply exp_ln; lra).
    assert (Hr0 : 0 <= ln r) by (rewrite <- ln_1; left; apply ln_increasing; lra).
    rewrite (Hloss (ln r) Hr0).
    - rewrite Er. rewrite (unit_sum _ (fst p) Hc) in Eu. rewrite (unit_sum _ (snd p) Hc) in Ev.
      apply Rmult_eq_reg_l in Eu, Ev; try lra.
      rewrite Eu, Ev. reflexivity.
    - unfold within_piece, written_of, part_of. cbn [written_sums from to fst snd].
      rewrite Ef, Elast. split.
      + apply exp_le_inv. rewrite Er, exp_ln by lra. lra.
      + destruct last as [y|]; [|exact I]. apply exp_le_inv. rewrite Er. assumption. }
  induction l as [|[y p'] l IH]; intros p x start s Hp Hl Hx Hx1 Hstart Hr Hloss H;
    cbn [stopping parts_of map] in *;
    destruct (stopped (common M) e p x) eqn:Hstop; try discriminate; pose proof Hp
      as [j [k [S [Hj [Hk [Eu Ev]]]]]];
    fold n P in Hj, Hk, Eu, Ev; pose proof (sum_on_bounds n S (P j) (HP j Hj)) as Bq;
      pose proof (sum_on_bounds n S (P k) (HP k Hk)) as Bd.
  - destruct (never_stops (common M) e p) eqn:Hnever; injection H as <-; unfold never_stops in
    Hnever.
    + apply andb_prop in Hnever. destruct Hnever as [H1 H2]. apply Z.eqb_eq in H1.
      apply Z.leb_le, IZR_le in H2.
      rewrite !mult_IZR, Eu in H2. rewrite H1 in Ev. apply IZR_lt in He as HE.
      apply (divergent_rule n P eps HP Heps). exists j, k, S. split; [assumption|].
        split; [assumption|]. split.
      * apply Rmult_eq_reg_l with (IZR (common M)); lra.
      * rewrite <- Ee. unfold quotient. apply Rmult_le_reg_l with (IZR (common M) * IZR (snd e));
        [apply Rmult_lt_0_compat; assumption|].
        replace (IZR (common M) * IZR (snd e) * (sum_on n S (P j) * (IZR (fst e) / IZR (snd e))))
          with (IZR (common M) * sum_on n S (P j) * IZR (fst e)) by (field; lra). lra.
    + apply (Hone p j k S x start ending None); auto.
      * intros alpha H0 Ha. apply (Hloss _ _ _ alpha H0 (or_introl eq_refl)). exact Ha.
      * intros Ed. apply Rnot_le_lt. intros Hle.
        assert (H1 : (snd p = 0)%Z) by (apply eq_IZR; rewrite Ev, Ed; ring).
          rewrite H1, Z.eqb_refl in Hnever. cbn in Hnever.
        apply Z.leb_gt, IZR_lt in Hnever. rewrite !mult_IZR, Eu in Hnever.
          apply IZR_lt in He as HE.
        rewrite <- Ee in Hle. unfold quotient in Hle.
          apply Rmult_le_compat_l with (r := IZR (common M) * IZR (snd e)) in Hle;
          [|left; apply Rmult_lt_0_compat; assumption].
        replace (IZR (common M) * IZR (snd e) * (sum_on n S (P j) * (IZR (fst e) / IZR (snd e))))
          with (IZR (common M) * sum_on n S (P j) * IZR (fst e)) in Hle by (field; lra). lra.
  - cbn [rising_from] in Hr. apply andb_prop in Hr. destruct Hr as [Hr Hrest].
    apply andb_prop in Hr. destruct Hr as [Hy Hxy]. apply Z.ltb_lt in Hy.
    pose proof (below_sound x y Hx Hy Hxy) as Hlt. pose proof (one_quotient y Hy ltac:(lra))
      as Hy1.
    destruct (stopped (common M) e p y) eqn:Hstop'.
    + injection H as <-. apply (stopped_spec (common M) e p y _ _ Hc He Hy Eu Ev) in Hstop'.
      rewrite Ee in Hstop'.
      assert (Hfin : sum_on n S (P k) = 0 -> sum_on n S (P j) * exp eps < 1).
      { intros Ed. rewrite Ed in Hstop'. apply Rnot_le_lt. intros Hle.
        assert (1 * (quotient y - 1) <= sum_on n S (P j) * exp eps * (quotient y - 1))
          by (apply Rmult_le_compat_r; lra). lra. }
      apply (Hone p j k S x start (turning y) (Some (ln (quotient y)))); auto using turning_level.
      * intros alpha H0 Ha. apply (Hloss _ _ _ alpha H0 (or_introl eq_refl)). exact Ha.
      * rewrite exp_ln by lra. apply (root_rule _ _ _ (quotient y) Bq (proj1 Bd) He1 Hfin
        ltac:(lra)). assumption.
    + apply (IH p' y (turning y) s); auto; [apply (Hl y p'); left; reflexivity|intros z r Hzr;
      apply (Hl z r); right; assumption|lra| |].
      * split; [apply turning_level; assumption|apply turning_encloses; assumption].
      * intros q d ends alpha H0 Hin. apply Hloss; [assumption|]. right. exact Hin.
Qed.

Lemma supremum_at_sound M first l e eps : let n := List.length (given M) in let P :=
  of_matrix (given M) in
  well_formed n M -> (0 < n)%nat -> proved_pieces most_rounds M = Done (first, l) ->
    (0 < snd e <= fst e)%Z -> quotient e = exp eps -> forall s,
  supremum_at M first l e = Done s -> supremum_is n P eps s.
Proof.
  intros n P HM Hn Hproved He Ee s H. pose proof (well_formed_stochastic M HM) as HP.
    fold n P in HP.
  destruct (proved_pieces_sound _ M first l HM Hn Hproved) as [[_ Hloss] [_ [Hfirst [Hl Hr]]]].
    unfold supremum_at in H.
  destruct (Z.eqb_spec (fst e) (snd e)) as [E|N].
  - injection H as <-. assert (Heps : eps = 0).
    { rewrite <- (ln_exp eps), <- Ee. unfold quotient. rewrite E. unfold Rdiv.
      rewrite Rinv_r by (apply not_0_IZR; lia). apply ln_1. }
    subst eps. unfold supremum_is. cbn [of_level]. assert (E1 : of_rational (1, 1%positive)%Z = 1)
      by (unfold of_rational; cbn; field).
    rewrite E1, ln_1. assert (Hzero : forall t, level n P 0 t = 0).
    { intros t. unfold level. induction t as [|t IH]; cbn [BPL]; [reflexivity|].
      rewrite IH, loss_zero by assumption. ring. }
    split; [intros x [t ->]; rewrite Hzero; lra|]. intros u Hu. apply Hu. exists 0%nat. symmetry.
      apply Hzero.
  - assert (Heps : 0 < eps).
    { apply exp_lt_inv. rewrite exp_0, <- Ee. unfold quotient. destruct He as [He He'].
      assert (Hlt : (snd e < fst e)%Z) by lia.
      apply IZR_lt in He, Hlt. apply Rmult_lt_reg_r with (IZR (snd e)); [assumption|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
    apply (stopping_sound M e eps HM (proj1 He) Heps Ee l first (1, 1)%Z beginning s); auto.
    + cbn. lia.
    + unfold quotient. cbn [fst snd]. lra.
    + apply beginning_begins.
    + intros q d ends alpha Ha Hin Hw. apply (Hloss alpha Ha) with ends; assumption.
Qed.

(** Of a request: the supremum over all times of the recursion with the matrix and the budget that
    the request writes, enclosed, and exact where e^eps is written as a rational; or that there is
    none. *)
Theorem supremum_sound bits table epsilon found : answer_supremum bits table epsilon = Done found
  ->
  exists P l x, writes_matrix table P /\ writes_level epsilon l /\ of_level l = Some x /\ 0 <= x /\
  let n := List.length P in stochastic n (of_matrix P) /\
  match found with
  | Unbounded => unbounded n (of_matrix P) x
  | Supremum exact_form r => exists s, is_supremum n (of_matrix P) x s /\ spans r s /\
      match exact_form with Some w => of_level w = Some s | None => forall y, l <> Log y end
  end.
Proof.
  unfold answer_supremum. intros H. apply bind_done in H. destruct H as [M [HM H]].
    apply bind_done in H. destruct H as [[l e] [He H]].
  apply bind_done in H. destruct H as [[first turning_at] [Hproved H]]. apply bind_done in H.
    destruct H as [least [Hleast H]].
  apply bind_done in H. destruct H as [most [Hmost H]]. apply inside_done in HM, He.
  destruct (read_finite_sound _ _ _ _ He) as [Hwl [x [Ex [Hx [[He1 [He2 Hbetween]] Hexact]]]]].
  destruct (read_matrix_sound _ _ HM) as [HW Hn]. pose proof (well_formed_stochastic M HW) as HP.
  exists (given M), l, x. split; [apply matrix_read; assumption|]. split; [assumption|].
    split; [assumption|]. split; [assumption|].
  cbv zeta. split; [assumption|]. set (n := List.length (given M)) in *.
    set (P := of_matrix (given M)) in *.
  pose proof (quotient_one _ He1) as Q1. pose proof (quotient_one _ He2) as Q2.
  set (x1 := ln (quotient (fst e))). set (x2 := ln (quotient (snd e))).
  assert (E1 : quotient (fst e) = exp x1) by (symmetry; apply exp_ln; lra).
  assert (E2 : quotient (snd e) = exp x2) by (symmetry; apply exp_ln; lra).
  assert (Hx1 : 0 <= x1 <= x).
  { split; apply exp_le_inv; rewrite <- E1, ?exp_0; lra. }
  assert (Hx2 : x <= x2) by (apply exp_le_inv; rewrite <- E2; lra).
  pose proof (supremum_at_sound M first turning_at (fst e) x1 HW Hn Hproved He1 E1 least Hleast)
    as S1. fold n P in S1.
  assert (S2 : supremum_is n P x2 most).
  { destruct (is_exact e) eqn:E.
    - injection Hmost as <-. apply is_exact_spec in E. unfold x2. rewrite <- E. exact S1.
    - exact (supremum_at_sound M first turning_at (snd e) x2 HW Hn Hproved He2 E2 most Hmost). }
  clear Hleast Hmost. assert (Hboth : (least = Infinite /\ found = Unbounded) \/
    exists below above, enclose bits least = Done below /\ enclose bits most = Done above /\
      (finite_ratio (low below) && finite_ratio (high above))%bool = true /\
      found = Supremum (if is_exact e then Some least else None) (low below, high above)).
  { destruct least; try destruct most; try (injection H as <-; left; split; reflexivity); right;
      apply bind_done in H; destruct H as [below [B1 H]]; apply bind_done in H;
        destruct H as [above [B2 H]];
      apply bind_done in H; destruct H as [? [B3 H]]; injection H as <-; exists below, above;
      unfold within_limit in B3; destruct (_ && _)%bool eqn:B4 in B3; try discriminate; auto. }
  clear H. destruct Hboth as [[-> ->]|[below [above [B1 [B2 [B3 ->]]]]]].
  - intros v. destruct (S1 v) as [t Ht]. exists t. pose proof (level_rises_in n P x1 x t HP Hx1).
    lra.
  - apply andb_prop in B3. destruct B3 as [L U]. unfold finite_ratio in L, U. apply andb_prop in L,
    U.
    destruct L as [L1 L2]. destruct U as [U1 U2]. apply Z.ltb_lt in L1, U1. apply Z.leb_le in L2,
      U2.
    destruct (enclose_sound _ _ _ B1) as [[_ [[_ [_ Under]] _]] _].
      destruct (enclose_sound _ _ _ B2) as [[_ [_ [_ [_ Over]]]] _].
    unfold supremum_is in S1, S2. destruct (of_level most) as [s2|]; [|lia].
    assert (Hbound : forall t, level n P x t <= s2).
    { intros t. apply Rle_trans with (level n P x2 t); [apply level_rises_in; auto; lra|].
      apply S2. exists t. reflexivity. }
    destruct (of_level least) as [s1|] eqn:Eleast.
    2:{ destruct (S1 s2) as [t Ht]. pose proof (level_rises_in n P x1 x t HP Hx1).
      specialize (Hbound t). lra. }
    destruct (supremum_exists n P x s2 Hbound) as [s [Hs Hs2]]. exists s.
    assert (Hs1 : s1 <= s).
    { apply S1. intros z [t ->]. apply Rle_trans with (level n P x t); [apply level_rises_in;
      auto|]. apply Hs. exists t. reflexivity. }
    split; [assumption|]. split.
    + split; [cbn; lia|]. split; [cbn; lia|]. unfold quotient. cbn [fst snd].
      apply IZR_lt in L1, U1.
      apply exp_le in Hs1, Hs2. split.
      * apply Rmult_le_reg_r with (IZR (snd (low below))); [assumption|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra.
        assert (exp s1 * IZR (snd (low below)) <= exp s * IZR (snd (low below)))
          by (apply Rmult_le_compat_r; lra). lra.
      * apply Rmult_le_reg_r with (IZR (snd (high above))); [assumption|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra.
        assert (exp s * IZR (snd (high above)) <= exp s2 * IZR (snd (high above)))
          by (apply Rmult_le_compat_r; lra). lra.
    + destruct (is_exact e) eqn:E.
      * rewrite Eleast. f_equal. apply is_exact_spec in E. assert (Exx : x1 = x).
        { rewrite <- (ln_exp x). unfold x1. f_equal. rewrite <- E in Hbetween. lra. }
        rewrite Exx in S1. apply Rle_antisym; [assumption|]. apply Hs. exact (proj1 S1).
      * intros y Hy. apply Hexact in Hy. unfold is_exact in E. rewrite Hy, !Z.eqb_refl in E.
        discriminate.
Qed.

Theorem reduced_same divisor root l : of_level (reduced divisor root l) = of_level l.
Proof.
  destruct l as [|x|p minus n c|]; try reflexivity. destruct minus; [reflexivity|]. cbn [reduced].
  destruct (_ && (root * root =? n)%Z && _)%bool eqn:E; [|destruct (_ && _ && _ && _)%bool eqn:K;
    [|reflexivity]].
  - apply andb_prop in E. destruct E as [E Ec]. apply andb_prop in E. destruct E as [Er En].
    apply Z.leb_le, IZR_le in Er. apply Z.eqb_eq in En. apply Z.ltb_lt in Ec. subst n.
      cbn [of_level]. do 2 f_equal.
    unfold of_rational, surd. cbn [fst snd]. rewrite Z2Pos.id, mult_IZR, plus_IZR, sqrt_square
      by assumption. reflexivity.
  - repeat (apply andb_prop in K; destruct K as [K ?]). apply Z.ltb_lt in K. rename divisor into k.
    repeat match goal with H : (_ =? _)%Z = true |- _ => apply Z.eqb_eq in H end.
    set (p' := (p / k)%Z) in *. set (c' := (c / k)%Z) in *. set (n' := (n / (k * k))%Z) in *.
      clearbody p' c' n'. subst p c n.
    cbn [of_level]. do 2 f_equal. unfold surd. apply IZR_lt in K. rewrite !mult_IZR.
    rewrite sqrt_mult_alt by (left; apply Rmult_lt_0_compat; assumption).
      rewrite sqrt_square by lra.
    destruct (Req_EM_T (IZR c') 0) as [Z|N]; [rewrite Z, Rmult_0_r; unfold Rdiv;
      rewrite !RIneq.Rinv_0; ring|field; lra].
Qed.
