(** The linear-fractional program of two rows, its optimum, and Algorithm 1 that finds it.

    A level alpha stands beside its ratio A = e^alpha and its excess E = A - 1. The paper's
    fractions q_j/d_j read +oo where d_j = 0; conditions on them are written multiplied out, q_j >
    v * d_j for q_j/d_j > v. *)

From TPL Require Export Sums.
Open Scope R_scope.

(** ** Definitions *)

(** The constraints of the program. [eq:lfp_end], [eq:lfp_end2] *)
Definition feasible (n : nat) (alpha : R) (x : nat -> R) : Prop :=
  forall j k, (j < n)%nat -> (k < n)%nat ->
  exp (- alpha) <= x j / x k <= exp alpha /\ 0 < x j < 1 /\ 0 < x k < 1.

(** The objective. [eq:lfp] *)
Definition objective (n : nat) (q d x : nat -> R) : R := dot n q x / dot n d x.

(** v is the greatest value of the objective. *)
Definition is_optimum (n : nat) (q d : nat -> R) (alpha v : R) : Prop :=
  (exists x, feasible n alpha x /\ objective n q d x = v) /\
  (forall x, feasible n alpha x -> objective n q d x <= v).

(** (q (e^alpha - 1) + 1) / (d (e^alpha - 1) + 1), as a function of A = e^alpha. *)
Definition piece (q d A : R) : R := (q * (A - 1) + 1) / (d * (A - 1) + 1).

(** The same for the sums q, d of q^+, d^+, where S is the set of the indices of x^+. *)
Definition piece_of (n : nat) (q d : nat -> R) (S : set) (A : R) : R := piece (sum_on n S q)
  (sum_on n S d) A.

(** Inequality (22), q_j/d_j > v for all j of x^+, and Inequality (23), q_k/d_k <= v for all
    others. [eq:cond1], [eq:cond2] *)
Definition condition_1 (n : nat) (q d : nat -> R) (S : set) (A : R) : Prop :=
  forall j, (j < n)%nat -> S j = true -> q j > piece_of n q d S A * d j.
Definition condition_2 (n : nat) (q d : nat -> R) (S : set) (A : R) : Prop :=
  forall k, (k < n)%nat -> S k = false -> q k <= piece_of n q d S A * d k.

(** The greatest piece over all sets of indices. Theorem [optimum_is_optimum] below: the optimum of
    the program. *)
Definition optimum (n : nat) (q d : nat -> R) (A : R) : R := greatest_set n (fun S =>
  piece_of n q d S A).

(** Algorithm 1 for two rows, lines 3 to 11 [algo:cal_bpl], as it is meant: the flag is set back in
    every round. Lines 3 and 4 begin with the indices of q_j > d_j; a round, lines 7 to 10, keeps
    those that satisfy (22). *)
Definition candidates (q d : nat -> R) : set := fun j => if Rlt_dec (d j) (q j) then true
  else false.
Definition round (n : nat) (q d : nat -> R) (A : R) (S : set) : set :=
  fun j => S j && (if Rlt_dec (piece_of n q d S A * d j) (q j) then true else false).
Fixpoint rounds (n : nat) (q d : nat -> R) (A : R) (count : nat) : set :=
  match count with
  | O => candidates q d
  | S before => round n q d A (rounds n q d A before)
  end.

(** ** The box

    The ratio of the objective does not depend on the scale of x: what counts is x >= 0 and x_j <=
    A x_k. *)

Definition within (n : nat) (A : R) (x : nat -> R) : Prop :=
  (forall j, (j < n)%nat -> 0 <= x j) /\ (forall j k, (j < n)%nat -> (k < n)%nat ->
    x j <= A * x k).

Definition corner (S : set) (A : R) : nat -> R := fun j => if S j then A else 1.

Lemma dot_corner n q S A : distribution n q -> dot n q (corner S A) = sum_on n S q * (A - 1) + 1.
Proof.
  intros [_ H]. rewrite <- H at 2. unfold dot, sum_on, corner. rewrite <- sum_scale_r, <- sum_plus.
  apply sum_ext. intros j _. destruct (S j); lra.
Qed.

Lemma piece_denominator n d S A : distribution n d -> 1 <= A -> 1 <= sum_on n S d * (A - 1) + 1.
Proof. intros H HA. pose proof (sum_on_bounds n S d H). nra. Qed.

Lemma piece_of_spec n q d S A : distribution n d -> 1 <= A ->
  piece_of n q d S A * (sum_on n S d * (A - 1) + 1) = sum_on n S q * (A - 1) + 1.
Proof.
  intros H HA. pose proof (piece_denominator n d S A H HA). unfold piece_of, piece. field. lra.
Qed.

Lemma piece_of_pos n q d S A : distribution n q -> distribution n d -> 1 <= A ->
  0 < piece_of n q d S A.
Proof.
  intros Hq Hd HA. pose proof (piece_denominator n d S A Hd HA).
    pose proof (piece_denominator n q S A Hq HA).
  unfold piece_of, piece. apply Rdiv_lt_0_compat; lra.
Qed.

Lemma piece_of_looks_at n q d A : looks_at n (fun S => piece_of n q d S A).
Proof. intros S S' H. unfold piece_of. rewrite !(sum_on_ext n S S') by assumption. reflexivity.
  Qed.

(** Rule (U) of the certificate checker, both directions. *)
Theorem box_rule n q d A lambda x :
  distribution n q -> distribution n d -> 1 <= A ->
  (A - 1) * sum n (fun j => positive_part (q j - lambda * d j)) <= lambda - 1 ->
  within n A x -> dot n q x <= lambda * dot n d x.
Proof.
  intros Hq Hd HA HU [H0 Hx].
  destruct (Nat.eq_dec n 0) as [->|Hn]; [unfold dot; simpl; lra|].
  destruct (least_entry n x) as [k [Hk Hmin]]; [lia|].
  set (c := fun j => q j - lambda * d j).
  assert (Hc : dot n q x - lambda * dot n d x = dot n c x).
  { unfold dot, c. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros; ring. }
  assert (Hsum : sum n c = 1 - lambda).
  { unfold c. rewrite sum_minus, sum_scale. rewrite (proj2 Hq), (proj2 Hd). lra. }
  assert (Hle : dot n c x <= x k * sum n c + (A - 1) * x k * sum n (fun j => positive_part (c j))).
  { rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros j Hj.
    pose proof (positive_part_nonneg (c j)). pose proof (positive_part_above (c j)).
    specialize (Hmin j Hj). specialize (Hx j k Hj Hk). specialize (H0 k Hk).
    assert (c j * (x j - x k) <= positive_part (c j) * (x j - x k)) by (apply Rmult_le_compat_r;
      lra).
    assert (positive_part (c j) * (x j - x k) <= positive_part (c j) * ((A - 1) * x k))
      by (apply Rmult_le_compat_l; lra). lra. }
  rewrite Hsum in Hle. fold c in HU. specialize (H0 k Hk).
  assert (x k * ((A - 1) * sum n (fun j => positive_part (c j))) <= x k * (lambda - 1))
    by (apply Rmult_le_compat_l; assumption). lra.
Qed.

Theorem box_rule_converse n q d A lambda :
  distribution n q -> distribution n d -> 1 <= A ->
  (forall x, (forall j, (j < n)%nat -> 1 <= x j <= A) -> dot n q x <= lambda * dot n d x) ->
  (A - 1) * sum n (fun j => positive_part (q j - lambda * d j)) <= lambda - 1.
Proof.
  intros Hq Hd HA H.
  set (S := above_zero (fun j => q j - lambda * d j)).
  assert (HS := H (corner S A)).
  rewrite !dot_corner in HS by assumption.
  rewrite sum_positive_part. fold S.
  replace (sum_on n S (fun j => q j - lambda * d j)) with (sum_on n S q - lambda * sum_on n S d).
  - assert (sum_on n S q * (A - 1) + 1 <= lambda * (sum_on n S d * (A - 1) + 1)).
    { apply HS. intros j _. unfold corner. destruct (S j); lra. }
    lra.
  - transitivity (sum_on n S (fun j => 1 * q j + (- lambda) * d j)).
    + rewrite sum_on_combine. lra.
    + apply sum_ext. intros j _. destruct (S j); lra.
Qed.

Lemma feasible_within n alpha x : feasible n alpha x -> within n (exp alpha) x.
Proof.
  intros H. split.
  - intros j Hj. specialize (H j j Hj Hj). lra.
  - intros j k Hj Hk. specialize (H j k Hj Hk).
    replace (x j) with (x j / x k * x k) by (field; lra). apply Rmult_le_compat_r; lra.
Qed.

Lemma feasible_positive n alpha q x : distribution n q -> feasible n alpha x -> 0 < dot n q x.
Proof. intros Hq H. apply dot_pos; auto. intros j Hj. specialize (H j j Hj Hj). lra. Qed.

Lemma exp_ratio alpha : 0 <= alpha -> 1 <= exp alpha.
Proof. intros H. pose proof (exp_ineq1_le alpha). lra. Qed.

(** Every corner is feasible, on a scale on which all entries are below 1. *)
Lemma corner_feasible n alpha S :
  0 <= alpha -> feasible n alpha (fun j => / (2 * exp alpha) * corner S (exp alpha) j).
Proof.
  intros Ha j k _ _. pose proof (exp_ratio alpha Ha) as HA. set (A := exp alpha) in *.
  assert (HI : exp (- alpha) = / A) by apply exp_Ropp. rewrite HI.
  assert (0 < / A <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (HB : forall i, 0 < / (2 * A) * corner S A i < 1).
  { intros i. replace (/ (2 * A) * corner S A i) with (/ 2 * (/ A * corner S A i)) by (field; lra).
    unfold corner. destruct (S i); [rewrite Rinv_l by lra; lra|lra]. }
  split; [|split; apply HB].
  replace (/ (2 * A) * corner S A j / (/ (2 * A) * corner S A k)) with (corner S A j / corner S A
    k).
  - unfold corner. destruct (S j), (S k); unfold Rdiv; rewrite ?Rinv_r, ?Rinv_1 by lra; lra.
  - unfold corner. destruct (S j), (S k); field; lra.
Qed.

Lemma corner_objective n q d alpha S : distribution n q -> distribution n d -> 0 <= alpha ->
  objective n q d (fun j => / (2 * exp alpha) * corner S (exp alpha) j) = piece_of n q d S
    (exp alpha).
Proof.
  intros Hq Hd Ha. pose proof (exp_ratio alpha Ha) as HA. unfold objective, piece_of, piece.
  rewrite !dot_scale, !dot_corner by assumption. pose proof (piece_denominator n d S _ Hd HA).
  field. split; lra.
Qed.

(** ** The optimum *)

Lemma optimum_upper n q d S A : piece_of n q d S A <= optimum n q d A.
Proof. apply (greatest_set_upper n (fun S => piece_of n q d S A)). apply piece_of_looks_at. Qed.

Lemma optimum_attained n q d A : exists S, optimum n q d A = piece_of n q d S A.
Proof. apply greatest_set_attained. Qed.

Lemma optimum_least n q d A u : (forall S, piece_of n q d S A <= u) -> optimum n q d A <= u.
Proof. intros H. destruct (optimum_attained n q d A) as [S ->]. apply H. Qed.

Lemma optimum_rule n q d A lambda : distribution n q -> distribution n d -> 1 <= A ->
  optimum n q d A <= lambda ->
  (A - 1) * sum n (fun j => positive_part (q j - lambda * d j)) <= lambda - 1.
Proof.
  intros Hq Hd HA Hl. set (S := above_zero (fun j => q j - lambda * d j)).
  rewrite sum_positive_part. fold S.
  replace (sum_on n S (fun j => q j - lambda * d j)) with (sum_on n S q - lambda * sum_on n S d).
  - pose proof (optimum_upper n q d S A). pose proof (piece_of_spec n q d S A Hd HA).
    pose proof (piece_denominator n d S A Hd HA). nra.
  - transitivity (sum_on n S (fun j => 1 * q j + (- lambda) * d j)).
    + rewrite sum_on_combine. lra.
    + apply sum_ext. intros j _. destruct (S j); lra.
Qed.

(** On the whole box, zeros included, no ratio exceeds the optimum. *)
Lemma optimum_bounds n q d A x : distribution n q -> distribution n d -> 1 <= A ->
  within n A x -> dot n q x <= optimum n q d A * dot n d x.
Proof. intros Hq Hd HA Hx. eapply box_rule; eauto. apply optimum_rule; auto. lra. Qed.

(** The greatest piece is the optimum of the program. *)
Theorem optimum_is_optimum n q d alpha : distribution n q -> distribution n d -> 0 <= alpha ->
  is_optimum n q d alpha (optimum n q d (exp alpha)).
Proof.
  intros Hq Hd Ha. pose proof (exp_ratio alpha Ha) as HA. split.
  - destruct (optimum_attained n q d (exp alpha)) as [S ->].
    eexists. split; [apply (corner_feasible n alpha S Ha)|]. apply corner_objective; auto.
  - intros x Hx. pose proof (feasible_positive n alpha d x Hd Hx). unfold objective.
    apply Rmult_le_reg_r with (dot n d x); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply optimum_bounds; auto. apply feasible_within. assumption.
Qed.

Lemma is_optimum_unique n q d alpha v w : is_optimum n q d alpha v -> is_optimum n q d alpha w ->
  v = w.
Proof.
  intros [[x [Hx <-]] Hv] [[y [Hy <-]] Hw]. apply Rle_antisym; auto.
Qed.

(** The optimum is the only v with E * sum (q_j - v d_j)^+ = v - 1. *)
Theorem optimum_equation n q d A v : distribution n q -> distribution n d -> 1 <= A ->
  ((A - 1) * sum n (fun j => positive_part (q j - v * d j)) = v - 1 <-> v = optimum n q d A).
Proof.
  intros Hq Hd HA.
  assert (Hval : forall w, (A - 1) * sum n (fun j => positive_part (q j - w * d j)) <= w - 1 ->
    optimum n q d A <= w).
  { intros w Hw. apply optimum_least. intros S.
    pose proof (piece_of_spec n q d S A Hd HA). pose proof (piece_denominator n d S A Hd HA).
    pose proof (sum_on_positive_part n S (fun j => q j - w * d j)) as HS.
    replace (sum_on n S (fun j => q j - w * d j)) with (sum_on n S q - w * sum_on n S d) in HS.
    - apply Rmult_le_reg_r with (sum_on n S d * (A - 1) + 1); [lra|]. nra.
    - transitivity (sum_on n S (fun j => 1 * q j + (- w) * d j)).
      + rewrite sum_on_combine. lra.
      + apply sum_ext. intros j _. destruct (S j); lra. }
  assert (Hlow : forall w, w - 1 <= (A - 1) * sum n (fun j => positive_part (q j - w * d j)) ->
    w <= optimum n q d A).
  { intros w Hw. set (S := above_zero (fun j => q j - w * d j)).
    rewrite sum_positive_part in Hw. fold S in Hw.
    replace (sum_on n S (fun j => q j - w * d j)) with (sum_on n S q - w * sum_on n S d) in Hw.
    - pose proof (piece_of_spec n q d S A Hd HA). pose proof (piece_denominator n d S A Hd HA).
      apply Rle_trans with (piece_of n q d S A); [|apply optimum_upper].
      apply Rmult_le_reg_r with (sum_on n S d * (A - 1) + 1); [lra|]. nra.
    - transitivity (sum_on n S (fun j => 1 * q j + (- w) * d j)).
      + rewrite sum_on_combine. lra.
      + apply sum_ext. intros j _. destruct (S j); lra. }
  split.
  - intros E. apply Rle_antisym; [apply Hlow|apply Hval]; lra.
  - intros ->. apply Rle_antisym; [apply optimum_rule; auto; lra|].
    destruct (optimum_attained n q d A) as [S HS].
    pose proof (piece_of_spec n q d S A Hd HA) as Hp. rewrite <- HS in Hp.
    pose proof (sum_on_positive_part n S (fun j => q j - optimum n q d A * d j)) as HH.
    replace (sum_on n S (fun j => q j - optimum n q d A * d j))
      with (sum_on n S q - optimum n q d A * sum_on n S d) in HH; [nra|].
    transitivity (sum_on n S (fun j => 1 * q j + (- optimum n q d A) * d j)).
    + rewrite sum_on_combine. lra.
    + apply sum_ext. intros j _. destruct (S j); lra.
Qed.

(** Lemma 1 [lem:lfp_proof], for a given least entry m, without which there is no greatest value:
    with m <= x_j <= A m the sum k_1 x_1 + ... + k_n x_n is greatest where x_j = A m for k_j > 0
    and x_j = m for the others. *)
Theorem lemma_1 n k A m x : 1 <= A -> 0 < m ->
  (forall j, (j < n)%nat -> m <= x j <= A * m) ->
  dot n k x <= dot n k (fun j => if Rlt_dec 0 (k j) then A * m else m).
Proof.
  intros HA Hm H. apply sum_le. intros j Hj. specialize (H j Hj).
  destruct (Rlt_dec 0 (k j)); nra.
Qed.

Lemma conditions_optimum n q d S A : distribution n q -> distribution n d -> 1 <= A ->
  condition_1 n q d S A -> condition_2 n q d S A -> piece_of n q d S A = optimum n q d A.
Proof.
  intros Hq Hd HA H1 H2. apply optimum_equation; auto.
  assert (E : sum n (fun j => positive_part (q j - piece_of n q d S A * d j))
              = sum_on n S (fun j => 1 * q j + (- piece_of n q d S A) * d j)).
  { apply sum_ext. intros j Hj. unfold positive_part, Rmax. destruct (S j) eqn:ES.
    - specialize (H1 j Hj ES). destruct (Rle_dec _ _); lra.
    - specialize (H2 j Hj ES). destruct (Rle_dec _ _); lra. }
  rewrite E, sum_on_combine. pose proof (piece_of_spec n q d S A Hd HA). lra.
Qed.

(** Theorem 5 [thm:lfp]: where (22) and (23) hold, (q (e^alpha - 1) + 1) / (d (e^alpha - 1) + 1) is
    the maximum. *)
Theorem theorem_5 n q d alpha S : distribution n q -> distribution n d -> 0 <= alpha ->
  condition_1 n q d S (exp alpha) -> condition_2 n q d S (exp alpha) ->
  is_optimum n q d alpha (piece (sum_on n S q) (sum_on n S d) (exp alpha)).
Proof.
  intros Hq Hd Ha H1 H2. change (is_optimum n q d alpha (piece_of n q d S (exp alpha))).
  rewrite (conditions_optimum n q d S (exp alpha)); auto using exp_ratio. apply optimum_is_optimum;
    auto.
Qed.

(** The value at which (22) and (23) hold is at least 1. *)
Lemma conditions_one n q d S A : distribution n q -> distribution n d -> 1 <= A ->
  condition_2 n q d S A -> 1 <= piece_of n q d S A.
Proof.
  intros Hq Hd HA H2. destruct (Rle_dec 1 (piece_of n q d S A)) as [?|Hn]; [assumption|exfalso].
  set (v := piece_of n q d S A) in *.
  pose proof (piece_of_pos n q d S A Hq Hd HA) as Hv. fold v in Hv.
  assert (Hoff : sum_on n (fun j => negb (S j)) q <= v * sum_on n (fun j => negb (S j)) d).
  { unfold sum_on. rewrite <- sum_scale. apply sum_le. intros j Hj.
    destruct (S j) eqn:E; simpl; [lra|]. apply H2; auto. }
  pose proof (sum_split n S q) as E1. pose proof (sum_split n S d) as E2.
  rewrite (proj2 Hq) in E1. rewrite (proj2 Hd) in E2.
  pose proof (piece_of_spec n q d S A Hd HA) as Hs. fold v in Hs.
  assert (1 - sum_on n S q <= v * (1 - sum_on n S d)).
  { replace (1 - sum_on n S q) with (sum_on n (fun j => negb (S j)) q) by lra.
    replace (1 - sum_on n S d) with (sum_on n (fun j => negb (S j)) d) by lra. assumption. }
  nra.
Qed.

(** Corollary 2 [col:q_d]: where (22) and (23) hold, q_j > d_j for all j of x^+. *)
Theorem corollary_2 n q d S A : distribution n q -> distribution n d -> 1 <= A ->
  condition_1 n q d S A -> condition_2 n q d S A ->
  forall j, (j < n)%nat -> S j = true -> q j > d j.
Proof.
  intros Hq Hd HA H1 H2 j Hj HS. specialize (H1 j Hj HS).
  pose proof (conditions_one n q d S A Hq Hd HA H2). pose proof (proj1 Hd j Hj). nra.
Qed.

(** ** Algorithm 1 [algo:cal_bpl] *)

(** Several indices may be removed at once: without those that fail (22) the value does not fall.
    *)
Theorem round_rises n q d A S : distribution n q -> distribution n d -> 1 <= A ->
  piece_of n q d S A <= piece_of n q d (round n q d A S) A.
Proof.
  intros Hq Hd HA. set (v := piece_of n q d S A). set (S' := round n q d A S).
  pose proof (piece_of_spec n q d S A Hd HA) as Hs. fold v in Hs.
  pose proof (piece_of_spec n q d S' A Hd HA) as Hs'.
  pose proof (piece_denominator n d S' A Hd HA).
  assert (HS : sum_on n S (fun j => 1 * q j + - v * d j) <= sum_on n S' (fun j =>
    1 * q j + - v * d j)).
  { apply sum_le. intros j Hj. unfold S', round. fold v. destruct (S j); simpl; [|lra].
    destruct (Rlt_dec (v * d j) (q j)); lra. }
  rewrite !sum_on_combine in HS.
  apply Rmult_le_reg_r with (sum_on n S' d * (A - 1) + 1); [lra|]. nra.
Qed.

Lemma candidates_one n q d A : distribution n q -> distribution n d -> 1 <= A ->
  1 <= piece_of n q d (candidates q d) A.
Proof.
  intros Hq Hd HA. set (S := candidates q d). pose proof (piece_of_spec n q d S A Hd HA).
  pose proof (piece_denominator n d S A Hd HA).
  assert (sum_on n S d <= sum_on n S q).
  { apply sum_le. intros j Hj. unfold S, candidates. destruct (Rlt_dec (d j) (q j)); lra. }
  apply Rmult_le_reg_r with (sum_on n S d * (A - 1) + 1); [lra|]. nra.
Qed.

Lemma rounds_fail n q d A count : distribution n q -> distribution n d -> 1 <= A ->
  1 <= piece_of n q d (rounds n q d A count) A /\ condition_2 n q d (rounds n q d A count) A.
Proof.
  intros Hq Hd HA. induction count as [|count [IH1 IH2]]; simpl.
  - pose proof (candidates_one n q d A Hq Hd HA). split; [assumption|].
    intros k Hk E. unfold candidates in E. destruct (Rlt_dec (d k) (q k)); [discriminate|].
    pose proof (proj1 Hd k Hk). nra.
  - set (S := rounds n q d A count) in *. pose proof (round_rises n q d A S Hq Hd HA).
    split; [lra|].
    intros k Hk E. unfold round in E. pose proof (proj1 Hd k Hk). destruct (S k) eqn:ES.
    + simpl in E. destruct (Rlt_dec _ _); [discriminate|]. nra.
    + specialize (IH2 k Hk ES). nra.
Qed.

Fixpoint members (n : nat) (S : set) : nat :=
  match n with
  | O => 0
  | Datatypes.S m => members m S + (if S m then 1 else 0)
  end.

Lemma members_bound n S : (members n S <= n)%nat.
Proof. induction n; simpl; [lia|]. destruct (S n); lia. Qed.

Lemma members_round n q d A S : (members n (round n q d A S) <= members n S)%nat.
Proof.
  induction n as [|n IH] in q, d, A, S |- *; simpl; [lia|].
  assert (members n (round (Datatypes.S n) q d A S) <= members n S)%nat.
  { clear. set (N := Datatypes.S n). clearbody N. induction n; simpl; [lia|].
    unfold round at 2. destruct (S n); simpl; [destruct (Rlt_dec _ _)|]; lia. }
  unfold round at 2. destruct (S n); simpl; [destruct (Rlt_dec _ _)|]; lia.
Qed.

Lemma members_same n q d A S : members n (round n q d A S) = members n S ->
  forall j, (j < n)%nat -> round n q d A S j = S j.
Proof.
  set (S' := round n q d A S).
  assert (Hle : forall j, S' j = true -> S j = true).
  { intros j. unfold S', round. destruct (S j); simpl; auto. }
  clearbody S'. revert Hle. clear. intros Hle.
  assert (Hm : forall m, (members m S' <= members m S)%nat).
  { induction m; simpl; [lia|]. specialize (Hle m). destruct (S' m), (S m); try lia. }
  induction n; simpl; intros E j Hj; [lia|].
  pose proof (Hm n). pose proof (Hle n).
  destruct (Nat.eq_dec j n) as [->|].
  - destruct (S' n), (S n); auto; lia.
  - apply IHn; [|lia]. destruct (S' n), (S n); try lia.
Qed.

(** Algorithm 1 ends: among the first n + 1 rounds is one that removes nothing. *)
Lemma rounds_end n q d A : exists count, (count <= n)%nat /\
  forall j, (j < n)%nat -> round n q d A (rounds n q d A count) j = rounds n q d A count j.
Proof.
  assert (H : forall count, (exists c, (c <= count)%nat /\
      forall j, (j < n)%nat -> round n q d A (rounds n q d A c) j = rounds n q d A c j) \/
      (members n (rounds n q d A (S count)) + S count <= n)%nat).
  { induction count as [|count IH].
    - pose proof (members_round n q d A (rounds n q d A 0)).
      pose proof (members_bound n (rounds n q d A 0)).
      destruct (Nat.eq_dec (members n (rounds n q d A 1)) (members n (rounds n q d A 0))) as [E|E].
      + left. exists 0%nat. split; [lia|]. apply members_same. exact E.
      + right. simpl in *. lia.
    - destruct IH as [[c [Hc H]]|IH]; [left; exists c; split; [lia|exact H]|].
      pose proof (members_round n q d A (rounds n q d A (S count))).
      destruct (Nat.eq_dec (members n (rounds n q d A (S (S count))))
        (members n (rounds n q d A (S count)))) as [E|E].
      + left. exists (S count). split; [lia|]. apply members_same. exact E.
      + right. simpl in *. lia. }
  destruct (H n) as [[c [Hc Hr]]|Hr]; [exists c; auto|lia].
Qed.

(** Algorithm 1 ends, after at most n rounds that remove something, with a set that satisfies (22)
    and (23); its value is the optimum. *)
Theorem algorithm_1 n q d alpha : distribution n q -> distribution n d -> 0 <= alpha ->
  exists count, (count <= n)%nat /\
  (forall j, (j < n)%nat -> rounds n q d (exp alpha) (S count) j = rounds n q d (exp alpha) count
    j) /\
  condition_1 n q d (rounds n q d (exp alpha) count) (exp alpha) /\
  condition_2 n q d (rounds n q d (exp alpha) count) (exp alpha) /\
  is_optimum n q d alpha (piece_of n q d (rounds n q d (exp alpha) count) (exp alpha)).
Proof.
  intros Hq Hd Ha. pose proof (exp_ratio alpha Ha) as HA.
  destruct (rounds_end n q d (exp alpha)) as [count [Hc Hr]]. exists count.
  pose proof (rounds_fail n q d (exp alpha) count Hq Hd HA) as [_ H2].
  assert (H1 : condition_1 n q d (rounds n q d (exp alpha) count) (exp alpha)).
  { intros j Hj E. specialize (Hr j Hj). unfold round in Hr. rewrite E in Hr. simpl in Hr.
    destruct (Rlt_dec _ _); [lra|discriminate]. }
  repeat split; auto.
  - exact (proj1 (theorem_5 n q d alpha _ Hq Hd Ha H1 H2)).
  - exact (proj2 (theorem_5 n q d alpha _ Hq Hd Ha H1 H2)).
Qed.

(** Theorem 12 [thm:Dinkelbach], for the program at hand, on whose feasible set the denominator is
    above 0: x is optimal if and only if the greatest value of q y - lambda d y is 0, for lambda =
    q x / d x. *)
Theorem theorem_12 n q d alpha x : distribution n q -> distribution n d -> feasible n alpha x ->
  ((forall y, feasible n alpha y -> objective n q d y <= objective n q d x) <->
   (forall y, feasible n alpha y -> dot n q y - objective n q d x * dot n d y <= 0)).
Proof.
  intros Hq Hd Hx.
  assert (H : forall y, feasible n alpha y -> objective n q d y * dot n d y = dot n q y /\
    0 < dot n d y).
  { intros y Hy. pose proof (feasible_positive n alpha d y Hd Hy). split; [|assumption].
    unfold objective. field. lra. }
  split; intros Ho y Hy; specialize (Ho y Hy); destruct (H y Hy) as [H1 H2].
  - nra.
  - apply Rmult_le_reg_r with (dot n d y); [assumption|]. lra.
Qed.
