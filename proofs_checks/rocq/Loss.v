(** The temporal privacy loss function L of a transition matrix, its bounds and its two extremes.
    *)

From TPL Require Export LFP.
Open Scope R_scope.

(** ** Definitions *)

(** e^L as a function of A = e^alpha: the greatest optimum over all pairs of rows, 1 where there is
    one row alone. *)
Definition gain (n : nat) (P : nat -> nat -> R) (A : R) : R :=
  greatest n (fun j => greatest n (fun k => optimum n (P j) (P k) A)).

(** The loss function. [eq:lfp_sol_b], [eq:lfp_M] *)
Definition loss (n : nat) (P : nat -> nat -> R) (alpha : R) : R := ln (gain n P (exp alpha)).

(** Two rows have disjoint supports: what is possible in the one is not in the other. *)
Definition disjoint_supports (n : nat) (q d : nat -> R) : Prop := forall j, (j < n)%nat ->
  q j = 0 \/ d j = 0.

(** ** The greatest over all pairs *)

Lemma gain_one n P A : 1 <= gain n P A.
Proof. apply greatest_one. Qed.

Lemma gain_pair n P A j k : (j < n)%nat -> (k < n)%nat -> optimum n (P j) (P k) A <= gain n P A.
Proof.
  intros Hj Hk. eapply Rle_trans.
  - apply (greatest_upper n (fun k => optimum n (P j) (P k) A) k Hk).
  - apply (greatest_upper n (fun j => greatest n (fun k => optimum n (P j) (P k) A)) j Hj).
Qed.

Lemma gain_upper n P A j k S : (j < n)%nat -> (k < n)%nat -> piece_of n (P j) (P k) S A <= gain
  n P A.
Proof. intros Hj Hk. eapply Rle_trans; [apply optimum_upper|apply gain_pair; auto]. Qed.

Lemma gain_least n P A u : 1 <= u ->
  (forall j k S, (j < n)%nat -> (k < n)%nat -> piece_of n (P j) (P k) S A <= u) -> gain n P A <= u.
Proof.
  intros Hu H. apply greatest_least; [assumption|]. intros j Hj. apply greatest_least;
    [assumption|].
  intros k Hk. apply optimum_least. auto.
Qed.

Lemma piece_of_nobody n q d A : piece_of n q d (fun _ => false) A = 1.
Proof. unfold piece_of, piece, sum_on. rewrite !sum_zero. field. Qed.

Lemma gain_attained n P A : (0 < n)%nat ->
  exists j k S, (j < n)%nat /\ (k < n)%nat /\ gain n P A = piece_of n (P j) (P k) S A.
Proof.
  intros Hn.
  assert (H1 : exists j k S, (j < n)%nat /\ (k < n)%nat /\ 1 = piece_of n (P j) (P k) S A).
  { exists 0%nat, 0%nat, (fun _ => false). rewrite piece_of_nobody. auto. }
  destruct (greatest_attained n (fun j => greatest n (fun k => optimum n (P j) (P k) A)))
    as [E|[j [Hj E]]];
    unfold gain; rewrite E; [exact H1|].
  destruct (greatest_attained n (fun k => optimum n (P j) (P k) A)) as [E'|[k [Hk E']]];
    rewrite E'; [exact H1|].
  destruct (optimum_attained n (P j) (P k) A) as [S ->]. exists j, k, S. auto.
Qed.

(** No ratio of two rows, at any likelihoods x in the box, exceeds e^L. *)
Theorem gain_bounds n P A x j k : stochastic n P -> 1 <= A -> (j < n)%nat -> (k < n)%nat ->
  within n A x -> dot n (P j) x <= gain n P A * dot n (P k) x.
Proof.
  intros HP HA Hj Hk Hx. eapply Rle_trans; [apply optimum_bounds; eauto|].
  apply Rmult_le_compat_r; [|apply gain_pair; auto].
  apply dot_nonneg; [apply HP; assumption|apply Hx].
Qed.

Lemma exp_loss n P alpha : exp (loss n P alpha) = gain n P (exp alpha).
Proof. apply exp_ln. pose proof (gain_one n P (exp alpha)). lra. Qed.

(** Equation (24) [eq:lfp_sol_b]: L(alpha) is the greatest logarithm of an optimum over all pairs
    of rows. *)
Theorem equation_24 n P alpha : (0 < n)%nat -> stochastic n P -> 0 <= alpha ->
  (exists j k v, (j < n)%nat /\ (k < n)%nat /\ is_optimum n (P j) (P k) alpha v /\
    loss n P alpha = ln v) /\
  (forall j k v, (j < n)%nat -> (k < n)%nat -> is_optimum n (P j) (P k) alpha v ->
    ln v <= loss n P alpha).
Proof.
  intros Hn HP Ha. pose proof (exp_ratio alpha Ha) as HA.
  assert (Hopt : forall j k, (j < n)%nat -> (k < n)%nat ->
          is_optimum n (P j) (P k) alpha (optimum n (P j) (P k) (exp alpha))).
  { intros. apply optimum_is_optimum; auto. }
  split.
  - destruct (gain_attained n P (exp alpha) Hn) as [j [k [S [Hj [Hk E]]]]].
    exists j, k, (optimum n (P j) (P k) (exp alpha)). repeat split; auto; try apply Hopt; auto.
    unfold loss. f_equal. apply Rle_antisym; [|apply gain_pair; auto].
    rewrite E. apply optimum_upper.
  - intros j k v Hj Hk Hv. rewrite (is_optimum_unique _ _ _ _ _ _ Hv (Hopt j k Hj Hk)).
    pose proof (gain_pair n P (exp alpha) j k Hj Hk).
    destruct (optimum_attained n (P j) (P k) (exp alpha)) as [S E].
    pose proof (piece_of_pos n (P j) (P k) S (exp alpha) (HP j Hj) (HP k Hk) HA) as Hpos.
      rewrite <- E in Hpos.
    unfold loss. destruct H as [H|H]; [left; apply ln_increasing; assumption|right; f_equal;
      assumption].
Qed.

(** ** Between 0 and alpha, rising, and no faster than alpha *)

Lemma within_corner n S A : 1 <= A -> within n A (corner S A).
Proof.
  intros HA. split.
  - intros j _. unfold corner. destruct (S j); lra.
  - intros j k _ _. unfold corner. destruct (S j), (S k); nra.
Qed.

Lemma within_wider n A A' x : A <= A' -> within n A x -> within n A' x.
Proof.
  intros HA [H0 H]. split; [assumption|]. intros j k Hj Hk. specialize (H j k Hj Hk).
    specialize (H0 k Hk). nra.
Qed.

(** The optimum of one pair of rows: between 1 and A, rising, and no faster than A. *)
Lemma optimum_ratio n q d A : distribution n q -> distribution n d -> 1 <= A ->
  1 <= optimum n q d A <= A.
Proof.
  intros Hq Hd HA. split; [rewrite <- (piece_of_nobody n q d A); apply optimum_upper|].
    apply optimum_least. intros S.
  pose proof (piece_of_spec n q d S A Hd HA). pose proof (piece_denominator n d S A Hd HA).
  pose proof (sum_on_bounds n S q Hq). pose proof (sum_on_bounds n S d Hd).
  apply Rmult_le_reg_r with (sum_on n S d * (A - 1) + 1); [lra|]. nra.
Qed.

Lemma optimum_rises n q d A A' : distribution n q -> distribution n d -> 1 <= A <= A' ->
  optimum n q d A <= optimum n q d A'.
Proof.
  intros Hq Hd HA. apply optimum_least. intros S.
  pose proof (optimum_bounds n q d A' (corner S A) Hq Hd ltac:(lra)
                (within_wider n A A' _ (proj2 HA) (within_corner n S A (proj1 HA)))) as H.
  rewrite !dot_corner in H by auto.
  pose proof (piece_of_spec n q d S A Hd (proj1 HA)).
    pose proof (piece_denominator n d S A Hd (proj1 HA)).
  apply Rmult_le_reg_r with (sum_on n S d * (A - 1) + 1); lra.
Qed.

Lemma piece_slow q d A A' : 0 <= q <= 1 -> 0 <= d -> 1 <= A <= A' -> piece q d A' <= A' / A * piece
  q d A.
Proof.
  intros Hq Hd HA. unfold piece.
  assert (H : q * (A' - 1) + 1 <= A' / A * (q * (A - 1) + 1)).
  { apply Rmult_le_reg_r with A; [lra|].
    replace (A' / A * (q * (A - 1) + 1) * A) with (A' * (q * (A - 1) + 1)) by (field; lra). nra. }
  assert (Hi : / (d * (A' - 1) + 1) <= / (d * (A - 1) + 1)) by (apply Rinv_le_contravar; nra).
  assert (0 <= q * (A' - 1) + 1) by nra.
  assert (0 < / (d * (A' - 1) + 1)) by (apply Rinv_0_lt_compat; nra).
  unfold Rdiv at 1 3. rewrite <- Rmult_assoc. apply Rmult_le_compat; lra.
Qed.

Lemma ratio_one A A' : 1 <= A <= A' -> 1 <= A' / A.
Proof. intros HA. apply Rmult_le_reg_r with A; [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. lra. Qed.

Lemma optimum_slow n q d A A' : distribution n q -> distribution n d -> 1 <= A <= A' ->
  optimum n q d A' <= A' / A * optimum n q d A.
Proof.
  intros Hq Hd HA. apply optimum_least. intros S.
  eapply Rle_trans; [apply (piece_slow _ _ A); auto; apply sum_on_bounds; assumption|].
  apply Rmult_le_compat_l; [pose proof (ratio_one A A' HA); lra|apply optimum_upper].
Qed.

Lemma gain_ratio n P A : stochastic n P -> 1 <= A -> gain n P A <= A.
Proof.
  intros HP HA. apply gain_least; [assumption|]. intros j k S Hj Hk. eapply Rle_trans;
    [apply optimum_upper|].
  apply optimum_ratio; auto.
Qed.

Lemma gain_rises n P A A' : stochastic n P -> 1 <= A <= A' -> gain n P A <= gain n P A'.
Proof.
  intros HP HA. apply gain_least; [apply gain_one|]. intros j k S Hj Hk.
  eapply Rle_trans; [apply optimum_upper|]. eapply Rle_trans; [apply optimum_rises; eauto|].
    apply gain_pair; assumption.
Qed.

Lemma gain_slow n P A A' : stochastic n P -> 1 <= A <= A' -> gain n P A' <= A' / A * gain n P A.
Proof.
  intros HP HA. pose proof (ratio_one A A' HA) as Hr. pose proof (gain_one n P A) as H1.
  apply gain_least; [nra|]. intros j k S Hj Hk.
  eapply Rle_trans; [apply optimum_upper|]. eapply Rle_trans; [apply (optimum_slow n _ _ A A');
    auto|].
  apply Rmult_le_compat_l; [lra|]. apply gain_pair; assumption.
Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H| ->]; [left; apply exp_increasing; assumption|lra]. Qed.

Lemma exp_le_inv a b : exp a <= exp b -> a <= b.
Proof. intros H. destruct (Rle_dec a b); [assumption|].
  assert (exp b < exp a) by (apply exp_increasing; lra). lra. Qed.

(** Remark 1 [remark]: 0 <= L(alpha) <= alpha. *)
Theorem remark_1 n P alpha : stochastic n P -> 0 <= alpha -> 0 <= loss n P alpha <= alpha.
Proof.
  intros HP Ha. pose proof (exp_ratio alpha Ha) as HA. split.
  - apply exp_le_inv. rewrite exp_0, exp_loss. apply gain_one.
  - apply exp_le_inv. rewrite exp_loss. apply gain_ratio; auto.
Qed.

(** L does not fall where alpha rises, and rises by no more than alpha does. *)
Theorem loss_rises n P alpha beta : stochastic n P -> 0 <= alpha <= beta -> loss n P alpha <= loss
  n P beta.
Proof.
  intros HP Ha. apply exp_le_inv. rewrite !exp_loss. apply gain_rises; [assumption|].
  split; [apply exp_ratio; lra|apply exp_le; lra].
Qed.

Theorem loss_slow n P alpha beta : stochastic n P -> 0 <= alpha <= beta ->
  loss n P beta - loss n P alpha <= beta - alpha.
Proof.
  intros HP Ha. enough (loss n P beta <= beta + - alpha + loss n P alpha) by lra.
  apply exp_le_inv. rewrite !exp_plus, exp_Ropp, !exp_loss. apply gain_slow; [assumption|].
  split; [apply exp_ratio; lra|apply exp_le; lra].
Qed.

(** ** The extremes *)

(** Theorem 6 [thm:algo_extreme1] and its converse: L is 0 everywhere, or anywhere above 0, if and
    only if all rows are equal. *)
Theorem theorem_6 n P : stochastic n P ->
  (forall j k i, (j < n)%nat -> (k < n)%nat -> (i < n)%nat -> P j i = P k i) ->
  forall alpha, 0 <= alpha -> loss n P alpha = 0.
Proof.
  intros HP H alpha Ha. pose proof (exp_ratio alpha Ha) as HA. unfold loss. rewrite <- ln_1.
    f_equal.
  apply Rle_antisym; [|apply gain_one]. apply gain_least; [lra|]. intros j k S Hj Hk.
  unfold piece_of, piece. pose proof (piece_denominator n (P k) S (exp alpha) (HP k Hk) HA).
  replace (sum_on n S (P j)) with (sum_on n S (P k)); [right; field; lra|].
  apply sum_ext. intros i Hi. rewrite (H j k i) by assumption. reflexivity.
Qed.

Theorem theorem_6_converse n P alpha : stochastic n P -> 0 < alpha -> loss n P alpha = 0 ->
  forall j k i, (j < n)%nat -> (k < n)%nat -> (i < n)%nat -> P j i = P k i.
Proof.
  intros HP Ha H.
  assert (HA : 1 < exp alpha) by (rewrite <- exp_0; apply exp_increasing; assumption).
  assert (Hg : gain n P (exp alpha) = 1) by (rewrite <- exp_loss, H; apply exp_0).
  assert (Hle : forall j k i, (j < n)%nat -> (k < n)%nat -> (i < n)%nat -> P j i <= P k i).
  { intros j k i Hj Hk Hi. pose proof (gain_upper n P (exp alpha) j k (fun m => Nat.eqb m i) Hj Hk)
    as Hp.
    pose proof (piece_of_spec n (P j) (P k) (fun m => Nat.eqb m i) (exp alpha) (HP k Hk)
      ltac:(lra)) as Hs.
    pose proof (piece_denominator n (P k) (fun m => Nat.eqb m i) (exp alpha) (HP k Hk) ltac:(lra))
      as Hd.
    unfold sum_on in Hs, Hd. rewrite !sum_single in Hs by assumption. rewrite !sum_single in
      Hd by assumption. nra. }
  intros. apply Rle_antisym; auto.
Qed.

(** Theorem 7 [thm:algo_extreme2], with its exact condition: L is the identity, everywhere or
    anywhere above 0, if and only if two rows have disjoint supports. *)
Theorem theorem_7 n P j k : stochastic n P -> (j < n)%nat -> (k < n)%nat ->
  disjoint_supports n (P j) (P k) ->
  forall alpha, 0 <= alpha -> loss n P alpha = alpha.
Proof.
  intros HP Hj Hk Hdis alpha Ha. pose proof (exp_ratio alpha Ha) as HA.
  apply Rle_antisym; [apply remark_1; assumption|]. apply exp_le_inv. rewrite exp_loss.
  set (S := candidates (P j) (P k)).
  assert (HS : forall i, (i < n)%nat -> (if S i then P j i else 0) = P j i /\
    (if S i then P k i else 0) = 0).
  { intros i Hi. unfold S, candidates. pose proof (proj1 (HP j Hj) i Hi).
    pose proof (proj1 (HP k Hk) i Hi).
    destruct (Hdis i Hi), (Rlt_dec (P k i) (P j i)); lra. }
  assert (E1 : sum_on n S (P j) = 1).
  { rewrite <- (proj2 (HP j Hj)). apply sum_ext. intros i Hi. apply HS. assumption. }
  assert (E2 : sum_on n S (P k) = 0).
  { rewrite <- (sum_zero n). apply sum_ext. intros i Hi. apply HS. assumption. }
  pose proof (gain_upper n P (exp alpha) j k S Hj Hk) as H. unfold piece_of, piece in H.
    rewrite E1, E2 in H.
  replace ((1 * (exp alpha - 1) + 1) / (0 * (exp alpha - 1) + 1)) with (exp alpha) in H by field.
    exact H.
Qed.

Theorem theorem_7_converse n P alpha : (0 < n)%nat -> stochastic n P -> 0 < alpha ->
  loss n P alpha = alpha ->
  exists j k, (j < n)%nat /\ (k < n)%nat /\ disjoint_supports n (P j) (P k).
Proof.
  intros Hn HP Ha H.
  assert (HA : 1 < exp alpha) by (rewrite <- exp_0; apply exp_increasing; assumption).
  destruct (gain_attained n P (exp alpha) Hn) as [j [k [S [Hj [Hk E]]]]]. exists j, k.
    repeat split; auto.
  rewrite <- exp_loss, H in E. set (A := exp alpha) in *.
  pose proof (piece_of_spec n (P j) (P k) S A (HP k Hk) ltac:(lra)) as Hs. rewrite <- E in Hs.
  pose proof (sum_on_bounds n S (P j) (HP j Hj)) as Bq.
    pose proof (sum_on_bounds n S (P k) (HP k Hk)) as Bd.
  assert (Hd : sum_on n S (P k) = 0).
  { assert (0 < A * (A - 1)) by nra. assert (A * (A - 1) * sum_on n S (P k) <= 0) by nra. nra. }
  assert (Hq : sum_on n (fun i => negb (S i)) (P j) = 0).
  { pose proof (sum_split n S (P j)) as Hsplit. rewrite (proj2 (HP j Hj)) in Hsplit.
    rewrite Hd in Hs.
    assert ((A - 1) * (1 - sum_on n S (P j)) = 0) by lra.
    destruct (Rmult_integral _ _ H0); lra. }
  intros i Hi. destruct (S i) eqn:ES.
  - right. apply (sum_zero_term n (fun i => if S i then P k i else 0) i) in Hd; auto.
    + simpl in Hd. rewrite ES in Hd. assumption.
    + intros m Hm. destruct (S m); [apply (HP k Hk); assumption|lra].
  - left. apply (sum_zero_term n (fun i => if negb (S i) then P j i else 0) i) in Hq; auto.
    + simpl in Hq. rewrite ES in Hq. assumption.
    + intros m Hm. destruct (S m); simpl; [lra|apply (HP j Hj); assumption].
Qed.
