(** The supremum over time of the recursion with one matrix and one budget at every time: Theorem
    11 and Algorithm 6.

    It is about the recursion, which bounds the leakage from above: where it is infinite the
    leakage need not be. *)

From TPL Require Export Chain Columns.
Open Scope R_scope.

(** ** Definitions *)

(** BPL by the recursion, with the matrix P and the budget eps at every time; FPL with t releases
    after is the same. *)
Definition level (n : nat) (P : nat -> nat -> R) (eps : R) (t : nat) : R := BPL n (fun _ =>
  P) (fun _ => eps) t.

Definition is_supremum (n : nat) (P : nat -> nat -> R) (eps s : R) : Prop := is_lub (fun x =>
  exists t, x = level n P eps t) s.
Definition unbounded (n : nat) (P : nat -> nat -> R) (eps : R) : Prop := forall v, exists t,
  v < level n P eps t.

(** The supremum's candidate for the sums q and d, as e^supremum, e = e^eps. The cases 1 and 2 of
    Theorem 11. *)
Definition root (q d e : R) : R :=
  if Req_EM_T d 0 then (1 - q) * e / (1 - q * e)
  else (sqrt (4 * d * e * (1 - q) + (d + q * e - 1) * (d + q * e - 1)) + d + q * e - 1) / (2 * d).

(** The cases 3 and 4, q e^eps > 1 or = 1 with d = 0, for the greatest candidate over all pairs and
    sets. *)
Definition diverging_point (n : nat) (P : nat -> nat -> R) (eps : R) : Prop :=
  exists j k S, (j < n)%nat /\ (k < n)%nat /\ sum_on n S (P k) = 0 /\ 1 <= sum_on n S (P j) * exp
    eps.

(** Algorithm 6 [algo:findSup]: the greatest candidate over all ordered pairs of rows and all sets.
    *)
Definition greatest_root (n : nat) (P : nat -> nat -> R) (e : R) : R :=
  greatest n (fun j => greatest n (fun k => greatest_set n (fun S => root (sum_on n S (P j))
    (sum_on n S (P k)) e))).

(** ** The recursion rises, and its supremum is a fixed point *)

Lemma level_nonneg n P eps t : stochastic n P -> 0 <= eps -> 0 <= level n P eps t.
Proof. intros HP He. apply BPL_nonneg; auto. Qed.

Lemma FPL_level n P eps t k : FPL n (fun _ => P) (fun _ => eps) t k = level n P eps k.
Proof. revert t. induction k as [|k IH]; intros t; simpl; [reflexivity|]. rewrite IH. reflexivity.
  Qed.

Theorem level_rises n P eps t : stochastic n P -> 0 <= eps -> level n P eps t <= level n P eps
  (S t).
Proof.
  intros HP He. induction t as [|t IH].
  - unfold level. simpl. pose proof (remark_1 n P eps HP He). lra.
  - change (loss n P (level n P eps t) + eps <= loss n P (level n P eps (S t)) + eps).
    apply Rplus_le_compat_r. apply loss_rises; auto. split; [apply level_nonneg; auto|assumption].
Qed.

Lemma level_bound n P eps u : stochastic n P -> 0 <= eps -> eps <= u -> loss n P u + eps <= u ->
  forall t, level n P eps t <= u.
Proof.
  intros HP He Hu Hl t. induction t as [|t IH]; [exact Hu|].
  change (loss n P (level n P eps t) + eps <= u).
  assert (loss n P (level n P eps t) <= loss n P u).
  { apply loss_rises; auto. split; [apply level_nonneg; auto|assumption]. }
  lra.
Qed.

Theorem supremum_fixed n P eps s : stochastic n P -> 0 <= eps -> is_supremum n P eps s ->
  loss n P s + eps = s.
Proof.
  intros HP He [Hub Hlub].
  assert (Hle : forall t, level n P eps t <= s) by (intros t; apply Hub; exists t; reflexivity).
  assert (H0 : 0 <= s) by (specialize (Hle 0%nat); unfold level in Hle; simpl in Hle; lra).
  apply Rle_antisym.
  - enough (s <= 2 * s - loss n P s - eps) by lra. apply Hlub. intros x [t ->].
    pose proof (Hle (S t)) as H1. change (loss n P (level n P eps t) + eps <= s) in H1.
    pose proof (loss_slow n P (level n P eps t) s HP ltac:(split; [apply level_nonneg;
      auto|apply Hle])). lra.
  - apply Hlub. intros x [t ->]. destruct t as [|t].
    + pose proof (remark_1 n P s HP H0). unfold level. simpl. lra.
    + change (loss n P (level n P eps t) + eps <= loss n P s + eps). apply Rplus_le_compat_r.
      apply loss_rises; auto. split; [apply level_nonneg; auto|apply Hle].
Qed.

(** ** The rules of the certificates `bounded`, `bounded-below` and `divergent` *)

Theorem bounded_rule n P eps U : stochastic n P -> 0 <= eps -> exp eps <= U ->
  (forall j k, (j < n)%nat -> (k < n)%nat ->
     (U - 1) * sum n (fun i => positive_part (P j i - U / exp eps * P k i)) <= U / exp eps - 1) ->
  forall t, level n P eps t <= ln U.
Proof.
  intros HP He HU H. pose proof (exp_ratio eps He) as HE.
  assert (Hl : 1 <= U / exp eps).
  { apply Rmult_le_reg_r with (exp eps); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    lra. }
  apply level_bound; auto.
  - rewrite <- (ln_exp eps). destruct HU as [HU| ->]; [left; apply ln_increasing; lra|lra].
  - apply exp_le_inv. rewrite exp_plus, exp_loss, exp_ln by lra.
    apply Rle_trans with (U / exp eps * exp eps); [|right; field; lra].
    apply Rmult_le_compat_r; [lra|]. apply gain_least; auto. intros j k S Hj Hk.
    pose proof (box_rule n (P j) (P k) U (U / exp eps) (corner S U) (HP j Hj) (HP k Hk) ltac:(lra)
      (H j k Hj Hk) (within_corner n S U ltac:(lra))) as Hb.
    rewrite !dot_corner in Hb by auto.
    pose proof (piece_of_spec n (P j) (P k) S U (HP k Hk) ltac:(lra)).
    pose proof (piece_denominator n (P k) S U (HP k Hk) ltac:(lra)).
    apply Rmult_le_reg_r with (sum_on n S (P k) * (U - 1) + 1); lra.
Qed.

(** Before the point V at which e^eps g_S(V) >= V, the recursion has no place to stop. *)
Lemma no_stop q d e V A : 0 <= d -> 1 < e -> 1 <= A < V ->
  V * (d * (V - 1) + 1) <= e * (q * (V - 1) + 1) -> ~ e * (q * (A - 1) + 1) <= A * (d * (A - 1) +
    1).
Proof.
  intros Hd He HA HV H.
  assert (0 <= d * (A - 1) * ((V - 1) - (A - 1)) * (V - 1)).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos|]|]; lra. }
  assert ((V - 1) * (e * (q * (A - 1) + 1)) <= (V - 1) * (A * (d * (A - 1) + 1)))
    by (apply Rmult_le_compat_l; lra).
  assert ((A - 1) * (V * (d * (V - 1) + 1)) <= (A - 1) * (e * (q * (V - 1) + 1)))
    by (apply Rmult_le_compat_l; lra).
  assert (0 < (V - A) * (e - 1)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma fixed_piece n P eps s j k S : stochastic n P -> 0 <= eps -> 0 <= s -> (j < n)%nat ->
  (k < n)%nat ->
  loss n P s + eps = s ->
  exp eps * (sum_on n S (P j) * (exp s - 1) + 1) <= exp s * (sum_on n S (P k) * (exp s - 1) + 1).
Proof.
  intros HP He Hs Hj Hk Hf. pose proof (exp_ratio s Hs) as HS. pose proof (exp_pos eps).
  assert (E : gain n P (exp s) * exp eps = exp s) by (rewrite <- exp_loss, <- exp_plus, Hf;
    reflexivity).
  pose proof (gain_upper n P (exp s) j k S Hj Hk).
  pose proof (piece_of_spec n (P j) (P k) S (exp s) (HP k Hk) HS) as Hp.
  pose proof (piece_denominator n (P k) S (exp s) (HP k Hk) HS).
  rewrite <- E at 2. rewrite <- Hp.
  replace (gain n P (exp s) * exp eps * (sum_on n S (P k) * (exp s - 1) + 1))
    with (exp eps * (gain n P (exp s) * (sum_on n S (P k) * (exp s - 1) + 1))) by ring.
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra.
Qed.

Lemma supremum_exists n P eps u : (forall t, level n P eps t <= u) -> exists s,
  is_supremum n P eps s /\ s <= u.
Proof.
  intros H. destruct (completeness (fun x => exists t, x = level n P eps t)) as [s Hs].
  - exists u. intros x [t ->]. apply H.
  - exists (level n P eps 0), 0%nat. reflexivity.
  - exists s. split; [exact Hs|]. apply Hs. intros x [t ->]. apply H.
Qed.

Lemma supremum_above n P eps s : 0 <= eps -> is_supremum n P eps s -> eps <= s.
Proof. intros He [Hub _]. apply (Hub (level n P eps 0)). exists 0%nat. reflexivity. Qed.

Theorem bounded_below_rule n P eps V j k S : stochastic n P -> 0 < eps -> 1 <= V -> (j < n)%nat ->
  (k < n)%nat ->
  V <= exp eps * piece_of n (P j) (P k) S V ->
  forall u, (forall t, level n P eps t <= u) -> ln V <= u.
Proof.
  intros HP He HV Hj Hk HS u Hu.
  destruct (supremum_exists n P eps u Hu) as [s [Hs Hsu]].
  pose proof (supremum_above n P eps s ltac:(lra) Hs) as Hes.
  enough (V <= exp s).
  { apply Rle_trans with s; [|assumption]. apply exp_le_inv. rewrite exp_ln by lra. assumption. }
  pose proof (supremum_fixed n P eps s HP ltac:(lra) Hs) as Hf.
  destruct (Rle_dec V (exp s)) as [?|N]; [assumption|exfalso].
  pose proof (piece_of_spec n (P j) (P k) S V (HP k Hk) HV) as Hp.
  pose proof (piece_denominator n (P k) S V (HP k Hk) HV).
  apply (no_stop (sum_on n S (P j)) (sum_on n S (P k)) (exp eps) V (exp s)).
  - apply (sum_on_bounds n S (P k)). auto.
  - rewrite <- exp_0. apply exp_increasing. lra.
  - split; [apply exp_ratio|]; lra.
  - rewrite <- Hp, <- Rmult_assoc. apply Rmult_le_compat_r; lra.
  - apply fixed_piece; auto; lra.
Qed.

Lemma natural_above x : exists t, x < INR t.
Proof.
  destruct (archimed x) as [H _]. exists (Z.to_nat (up x)). rewrite INR_IZR_INZ.
  assert (HZ : (up x <= Z.of_nat (Z.to_nat (up x)))%Z) by lia. apply IZR_le in HZ. lra.
Qed.

(** Theorem 11 [thm:sup], cases 3 and 4, with the boundary: with d = 0 and q e^eps >= 1 the
    recursion grows without bound. *)
Theorem divergent_rule n P eps : stochastic n P -> 0 < eps -> diverging_point n P eps ->
  unbounded n P eps.
Proof.
  intros HP He [j [k [S [Hj [Hk [Hd Hq]]]]]] v.
  assert (He1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (H : forall t, 1 + INR t * (exp eps - 1) <= exp (level n P eps t)).
  { induction t as [|t IH].
    - unfold level. simpl. lra.
    - rewrite S_INR. change (level n P eps (Datatypes.S t)) with (loss n P (level n P eps t) +
      eps).
      rewrite exp_plus, exp_loss. set (A := exp (level n P eps t)) in *.
      assert (1 <= A) by (apply exp_ratio; apply level_nonneg; auto; lra).
      pose proof (gain_upper n P A j k S Hj Hk) as Hg. unfold piece_of, piece in Hg.
        rewrite Hd in Hg.
      replace ((sum_on n S (P j) * (A - 1) + 1) / (0 * (A - 1) + 1))
        with (sum_on n S (P j) * (A - 1) + 1) in Hg by field.
      assert ((sum_on n S (P j) * (A - 1) + 1) * exp eps <= gain n P A * exp eps)
        by (apply Rmult_le_compat_r; lra).
      assert ((A - 1) * 1 <= (A - 1) * (sum_on n S (P j) * exp eps)) by (apply Rmult_le_compat_l;
        lra). lra. }
  destruct (natural_above (exp v / (exp eps - 1))) as [t Ht]. exists t.
  destruct (Rlt_dec v (level n P eps t)) as [?|N]; [assumption|exfalso].
  assert (exp (level n P eps t) <= exp v) by (apply exp_le; lra).
  apply Rmult_lt_compat_r with (r := exp eps - 1) in Ht; [|lra].
  unfold Rdiv in Ht. rewrite Rmult_assoc, Rinv_l in Ht by lra. specialize (H t). lra.
Qed.

(** ** Algorithm 6 and Theorem 11 *)

(** The candidate is where e^eps g stops exceeding A. *)
Lemma root_rule q d e A : 0 <= q <= 1 -> 0 <= d -> 1 < e -> (d = 0 -> q * e < 1) -> 1 <= A ->
  (e * (q * (A - 1) + 1) <= A * (d * (A - 1) + 1) <-> root q d e <= A).
Proof.
  intros Hq Hd He Hfin HA. unfold root. destruct (Req_EM_T d 0) as [->|Hd0].
  - specialize (Hfin eq_refl). split; intros H.
    + apply Rmult_le_reg_r with (1 - q * e); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
    + apply Rmult_le_compat_r with (r := 1 - q * e) in H; [|lra].
      unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. lra.
  - set (b := d + q * e - 1). set (D := 4 * d * e * (1 - q) + b * b).
    assert (Hc : 0 <= 4 * d * e * (1 - q)).
    { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; lra. }
    assert (HD : 0 <= D) by (unfold D; nra).
    set (s := sqrt D). assert (Hs : s * s = D) by (apply sqrt_sqrt; assumption).
    assert (Hs0 : 0 <= s) by apply sqrt_pos.
    assert (Hsb : - s <= b <= s).
    { assert (b * b <= s * s) by (rewrite Hs; unfold D; lra). split; nra. }
    assert (E : 4 * d * (A * (d * (A - 1) + 1) - e * (q * (A - 1) + 1)) = (2 * d * A - b - s) *
      (2 * d * A - b + s)).
    { transitivity ((2 * d * A - b) * (2 * d * A - b) - s * s); [|ring]. rewrite Hs. unfold D, b.
      ring. }
    assert (Hpos : 0 < 2 * d * A - b + s) by (assert (0 < d * A) by (apply Rmult_lt_0_compat; lra);
      lra).
    fold b D s. replace (s + d + q * e - 1) with (s + b) by (unfold b; ring). split; intros H.
    + apply Rmult_le_reg_r with (2 * d); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      assert (0 <= (2 * d * A - b - s) * (2 * d * A - b + s)) by (rewrite <- E; apply Rmult_le_pos;
        lra).
      destruct (Rle_dec 0 (2 * d * A - b - s)); [lra|exfalso].
      assert ((2 * d * A - b - s) * (2 * d * A - b + s) < 0) by nra. lra.
    + apply Rmult_le_compat_r with (r := 2 * d) in H; [|lra].
      unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra.
      assert (0 <= 4 * d * (A * (d * (A - 1) + 1) - e * (q * (A - 1) + 1))).
      { rewrite E. apply Rmult_le_pos; lra. }
      assert (0 < 4 * d) by lra.
      assert (0 <= A * (d * (A - 1) + 1) - e * (q * (A - 1) + 1)); [|lra].
      apply Rmult_le_reg_l with (4 * d); lra.
Qed.

Lemma root_nobody e : root 0 0 e = e.
Proof. unfold root. destruct (Req_EM_T 0 0) as [_|N]; [field|contradiction]. Qed.

Lemma greatest_root_upper n P e j k S : (j < n)%nat -> (k < n)%nat ->
  root (sum_on n S (P j)) (sum_on n S (P k)) e <= greatest_root n P e.
Proof.
  intros Hj Hk. unfold greatest_root.
  eapply Rle_trans;
    [|apply (greatest_upper n (fun j => greatest n (fun k => greatest_set n (fun S =>
    root (sum_on n S (P j)) (sum_on n S (P k)) e))) j Hj)].
  eapply Rle_trans;
    [|apply (greatest_upper n (fun k => greatest_set n (fun S => root (sum_on n S (P j))
    (sum_on n S (P k)) e)) k Hk)].
  apply (greatest_set_upper n (fun S => root (sum_on n S (P j)) (sum_on n S (P k)) e)).
  intros S1 S2 H. rewrite !(sum_on_ext n S1 S2) by assumption. reflexivity.
Qed.

Lemma greatest_root_least n P e u : 1 <= u ->
  (forall j k S, (j < n)%nat -> (k < n)%nat -> root (sum_on n S (P j)) (sum_on n S (P k)) e <= u)
    ->
  greatest_root n P e <= u.
Proof.
  intros Hu H. apply greatest_least; [assumption|]. intros j Hj. apply greatest_least;
    [assumption|]. intros k Hk.
  destruct (greatest_set_attained n (fun S => root (sum_on n S (P j)) (sum_on n S (P k)) e))
    as [S ->]. auto.
Qed.

(** Algorithm 6: where no point diverges, the supremum is the greatest of the candidates. *)
Theorem algorithm_6 n P eps : (0 < n)%nat -> stochastic n P -> 0 < eps -> ~ diverging_point n P eps
  ->
  is_supremum n P eps (ln (greatest_root n P (exp eps))).
Proof.
  intros Hn HP He Hfin.
  assert (He1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; lra).
  set (U := greatest_root n P (exp eps)).
  assert (HU : exp eps <= U).
  { rewrite <- (root_nobody (exp eps)).
    pose proof (greatest_root_upper n P (exp eps) 0 0 (fun _ => false) Hn Hn) as H.
    unfold sum_on in H. rewrite !sum_zero in H. exact H. }
  assert (Hrule : forall j k S A, (j < n)%nat -> (k < n)%nat -> 1 <= A ->
    (exp eps * (sum_on n S (P j) * (A - 1) + 1) <= A * (sum_on n S (P k) * (A - 1) + 1) <->
     root (sum_on n S (P j)) (sum_on n S (P k)) (exp eps) <= A)).
  { intros j k S A Hj Hk HA. apply root_rule; auto.
    - apply sum_on_bounds; auto.
    - apply (sum_on_bounds n S (P k)); auto.
    - intros Z. apply Rnot_le_lt. intros N. apply Hfin. exists j, k, S. auto. }
  split.
  - intros x [t ->]. revert t. apply level_bound; auto; [lra| |].
    + apply exp_le_inv. rewrite exp_ln by lra. assumption.
    + apply exp_le_inv. rewrite exp_plus, exp_loss, exp_ln by lra.
      enough (gain n P U <= U / exp eps).
      { apply Rle_trans with (U / exp eps * exp eps); [apply Rmult_le_compat_r; lra|right; field;
        lra]. }
      apply gain_least.
      * apply Rmult_le_reg_r with (exp eps); [lra|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra.
      * intros j k S Hj Hk.
        pose proof (piece_of_spec n (P j) (P k) S U (HP k Hk) ltac:(lra)).
        pose proof (piece_denominator n (P k) S U (HP k Hk) ltac:(lra)).
        apply Rmult_le_reg_r with (sum_on n S (P k) * (U - 1) + 1); [lra|]. rewrite H.
        apply Rmult_le_reg_l with (exp eps); [lra|].
        replace (exp eps * (U / exp eps * (sum_on n S (P k) * (U - 1) + 1)))
          with (U * (sum_on n S (P k) * (U - 1) + 1))
          by (field; lra).
        apply Hrule; auto; [lra|]. apply greatest_root_upper; assumption.
  - intros u Hub.
    assert (Hu : forall t, level n P eps t <= u) by (intros t; apply Hub; exists t; reflexivity).
    destruct (supremum_exists n P eps u Hu) as [s [Hs Hsu]].
    pose proof (supremum_above n P eps s ltac:(lra) Hs) as Hes.
    pose proof (supremum_fixed n P eps s HP ltac:(lra) Hs) as Hf.
    apply Rle_trans with s; [|assumption]. apply exp_le_inv. rewrite exp_ln by lra.
    pose proof (exp_ratio s ltac:(lra)) as HS1.
    apply greatest_root_least; [assumption|]. intros j k S Hj Hk.
    apply Hrule; auto. apply fixed_piece; auto; lra.
Qed.

(** The supremum is finite if and only if no point diverges: the cases of Theorem 11 together. *)
Theorem bounded_iff n P eps : (0 < n)%nat -> stochastic n P -> 0 < eps ->
  ((exists u, forall t, level n P eps t <= u) <-> ~ diverging_point n P eps).
Proof.
  intros Hn HP He. split.
  - intros [u Hu] Hd. destruct (divergent_rule n P eps HP He Hd u) as [t Ht]. specialize (Hu t).
    lra.
  - intros Hd. exists (ln (greatest_root n P (exp eps))). intros t.
    apply (proj1 (algorithm_6 n P eps Hn HP He Hd)). exists t. reflexivity.
Qed.

(** Theorem 11 [thm:sup], corrected: where (q, d) are the sums of a pair of rows and a set that
    give L at the supremum s itself, s is log of the candidate. Case 1 is d <> 0, case 2 is d = 0
    and q e^eps < 1. *)
Theorem theorem_11 n P eps s j k S : stochastic n P -> 0 < eps -> is_supremum n P eps s ->
  (j < n)%nat -> (k < n)%nat -> loss n P s = ln (piece_of n (P j) (P k) S (exp s)) ->
  s = ln (root (sum_on n S (P j)) (sum_on n S (P k)) (exp eps)).
Proof.
  intros HP He Hs Hj Hk HL.
  assert (He1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; lra).
  pose proof (supremum_above n P eps s ltac:(lra) Hs) as Hes.
  pose proof (supremum_fixed n P eps s HP ltac:(lra) Hs) as Hf.
  pose proof (exp_ratio s ltac:(lra)) as HS1.
  assert (Hfin : sum_on n S (P k) = 0 -> sum_on n S (P j) * exp eps < 1).
  { intros Z. apply Rnot_le_lt. intros N.
    destruct (divergent_rule n P eps HP He ltac:(exists j, k, S; auto) s) as [t Ht].
    assert (level n P eps t <= s) by (apply Hs; exists t; reflexivity). lra. }
  pose proof (sum_on_bounds n S (P j) (HP j Hj)) as Bq.
    pose proof (sum_on_bounds n S (P k) (HP k Hk)) as Bd.
  pose proof (root_rule _ _ _ (exp s) Bq (proj1 Bd) He1 Hfin HS1) as [Hr1 _].
  specialize (Hr1 (fixed_piece n P eps s j k S HP ltac:(lra) ltac:(lra) Hj Hk Hf)).
  set (r := root (sum_on n S (P j)) (sum_on n S (P k)) (exp eps)) in *.
  enough (Hge : exp s <= r).
  { rewrite <- (ln_exp s). f_equal. apply Rle_antisym; assumption. }
  apply Rnot_lt_le. intros Hlt.
  (* at the supremum e^eps g = A; a root below it would leave e^eps g < A there *)
  pose proof (piece_of_pos n (P j) (P k) S (exp s) (HP j Hj) (HP k Hk) HS1).
  assert (E : piece_of n (P j) (P k) S (exp s) * exp eps = exp s).
  { rewrite <- (exp_ln (piece_of n (P j) (P k) S (exp s))) by assumption.
    rewrite <- HL, <- exp_plus, Hf. reflexivity. }
  pose proof (piece_of_spec n (P j) (P k) S (exp s) (HP k Hk) HS1) as Hp.
  set (A := Rmax 1 r).
  assert (HA : 1 <= A < exp s).
  { unfold A. split; [apply Rmax_l|]. apply Rmax_lub_lt; [|assumption]. rewrite <- exp_0.
    apply exp_increasing. lra. }
  apply (no_stop (sum_on n S (P j)) (sum_on n S (P k)) (exp eps) (exp s) A (proj1 Bd) He1 HA).
  - rewrite <- E at 1. rewrite <- Hp. right. ring.
  - apply (root_rule _ _ _ A Bq (proj1 Bd) He1 Hfin (proj1 HA)). unfold A. apply Rmax_r.
Qed.

(** ** The candidates that Algorithm 6 is printed with *)

(** The columns that only the row q has come first. *)
Lemma columns_of_one_row n count q d : falling n q d -> first_above n count q d ->
  (forall i, (i < n)%nat -> 0 <= d i) -> exists m, (m <= count)%nat /\
  forall i, (i < n)%nat -> ((i < m)%nat <-> d i = 0 /\ q i > 0).
Proof.
  intros Hf [Hcn Hc] Hd.
  assert (H : forall l, (l <= count)%nat -> exists m, (m <= l)%nat /\
    forall i, (i < l)%nat -> ((i < m)%nat <-> d i = 0 /\ q i > 0)).
  { induction l as [|l IH]; intros Hl; [exists 0%nat; split; [lia|intros; lia]|].
    destruct IH as [m [Hm H]]; [lia|].
    destruct (Req_dec (d l) 0) as [Z|N].
    - exists (S l). split; [lia|]. intros i Hi. split; [intros _|lia].
      destruct (Hf i l ltac:(lia) ltac:(lia)) as [F _].
      assert (q l > d l) by (apply Hc; lia). assert (q i > d i) by (apply Hc; lia).
      pose proof (Hd i ltac:(lia)). rewrite Z in F, H0. split; [nra|lra].
    - exists m. split; [lia|]. intros i Hi. destruct (Nat.eq_dec i l) as [->|]; [|apply H; lia].
      split; [lia|]. intros [? _]; contradiction. }
  destruct (H count (le_n _)) as [m [Hm H']]. exists m. split; [assumption|]. intros i Hi.
  destruct (Nat.lt_ge_cases i count) as [L|L]; [apply H'; assumption|]. split; [lia|].
  intros [Z Q]. assert (i < count)%nat; [apply Hc; [assumption|lra]|lia].
Qed.

(** Some set diverges if and only if one of the candidates does. *)
Lemma listed_diverges n P order count eps : stochastic n P -> columns_ordered n P order count ->
  (diverging_point n P eps <-> exists q, listed n P order count q 0 /\ 1 <= q * exp eps).
Proof.
  intros HP Ho. pose proof (exp_pos eps) as He. split.
  - intros [j [k [S [Hj [Hk [HS Hq]]]]]]. destruct (Ho j k Hj Hk) as [Hp [Hf Hc]].
    destruct (columns_of_one_row n (count j k) _ _ Hf Hc) as [m [Hm H]].
    { intros i Hi. apply (distribution_permuted n (order j k) (P k) Hp (HP k Hk)). assumption. }
    assert (Hmn : (m <= n)%nat) by (pose proof (proj1 Hc); lia).
    assert (Hle : sum_on n S (P j) <= sum m (fun i => P j (order j k i))).
    { rewrite <- (sum_on_prefix n m) by assumption. unfold sum_on at 1.
      rewrite <- (sum_permuted n (order j k)) by assumption. apply sum_le. intros i Hi.
      pose proof (proj1 (distribution_permuted n (order j k) (P j) Hp (HP j Hj)) i Hi) as Hqi.
      unfold prefix. destruct (Nat.ltb_spec i m) as [L|L];
        destruct (S (order j k i)) eqn:ES; try lra.
      apply Rnot_lt_le. intros N. enough (i < m)%nat by lia. apply H; [assumption|].
      split; [|exact N]. unfold sum_on in HS. destruct Hp as [place Hp].
      apply (sum_zero_term n _ (order j k i)) in HS.
      - cbv beta in HS. rewrite ES in HS. exact HS.
      - intros l Hl. destruct (S l); [apply (HP k Hk); assumption|lra].
      - apply Hp. assumption. }
    assert (Hd : sum m (fun i => P k (order j k i)) = 0).
    { rewrite (sum_ext m _ (fun _ => 0)); [apply sum_zero|]. intros i Hi. apply H; lia. }
    exists (sum m (fun i => P j (order j k i))). split.
    + exists j, k, m. rewrite Hd. repeat split; auto. destruct m; [|lia]. simpl in Hle. nra.
    + eapply Rle_trans; [exact Hq|]. apply Rmult_le_compat_r; lra.
  - intros [q [[j [k [m [Hj [Hk [Hm [-> E]]]]]]] Hq]]. destruct (Ho j k Hj Hk) as [Hp [_ Hc]].
    destruct (first_columns n (order j k) m Hp) as [S HS]; [pose proof (proj1 Hc); lia|].
    exists j, k, S. rewrite !HS. auto.
Qed.

(** Algorithm 6 as printed, but for the start, which is eps: what Algorithm 2 lists is enough.
    Either a candidate says that there is no supremum, and there is none; or none says so, and
    e^supremum is the greatest of e^eps and the candidates. *)
Theorem algorithm_6_candidates n P order count eps : (0 < n)%nat -> stochastic n P -> 0 < eps ->
  columns_ordered n P order count ->
  ((exists q, listed n P order count q 0 /\ 1 <= q * exp eps) /\ unbounded n P eps) \/
  ~ (exists q, listed n P order count q 0 /\ 1 <= q * exp eps) /\
  exists s, is_supremum n P eps s /\ eps <= s /\
    (forall q d, listed n P order count q d -> root q d (exp eps) <= exp s) /\
    (s = eps \/ exists q d, listed n P order count q d /\ exp s = root q d (exp eps)).
Proof.
  intros Hn HP He Ho. pose proof (listed_diverges n P order count eps HP Ho) as Hdiv.
  destruct (Classical_Prop.classic (diverging_point n P eps)) as [Hp|Hp]; [left|right].
  { split; [apply Hdiv; assumption|apply divergent_rule; assumption]. }
  split; [rewrite <- Hdiv; assumption|].
  pose proof (algorithm_6 n P eps Hn HP He Hp) as Hs.
  set (s := ln (greatest_root n P (exp eps))) in *. exists s. split; [assumption|].
  pose proof (supremum_above n P eps s ltac:(lra) Hs) as Hes. split; [assumption|].
  pose proof (supremum_fixed n P eps s HP ltac:(lra) Hs) as Hfix.
  assert (He1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; lra).
  split.
  - intros q d [j [k [m [Hj [Hk [Hm [-> ->]]]]]]]. destruct (Ho j k Hj Hk) as [Hord [_ Hc]].
    destruct (first_columns n (order j k) m Hord) as [S HS]; [pose proof (proj1 Hc); lia|].
    rewrite <- !HS. apply root_rule; auto.
    + apply sum_on_bounds. auto.
    + apply (sum_on_bounds n S (P k)). auto.
    + intros Z. apply Rnot_le_lt. intros N. apply Hp. exists j, k, S. auto.
    + apply exp_ratio. lra.
    + apply fixed_piece; auto; lra.
  - destruct (equation_24 n P s Hn HP ltac:(lra)) as [[j [k [v [Hj [Hk [Hv HL]]]]]] _].
    destruct (Ho j k Hj Hk) as [Hord [Hf Hc]].
    destruct (optimum_in_order n (order j k) (count j k) (P j) (P k) s Hord (HP j Hj) (HP k Hk) Hf
      Hc ltac:(lra)) as [[_ Hv']|[m [Hm [_ [_ Hv']]]]];
      rewrite (is_optimum_unique _ _ _ _ _ _ Hv Hv') in HL.
    + left. rewrite ln_1 in HL. lra.
    + right. exists (sum m (fun i => P j (order j k i))), (sum m (fun i => P k (order j k i))).
      split; [exists j, k, m; auto|].
      destruct (first_columns n (order j k) m Hord) as [S HS]; [pose proof (proj1 Hc); lia|].
      rewrite <- !HS in HL |- *.
      pose proof (theorem_11 n P eps s j k S HP He Hs Hj Hk HL) as E.
      rewrite E. apply exp_ln. apply Rnot_le_lt. intros N. unfold ln in E.
      destruct (Rlt_dec 0 (root (sum_on n S (P j)) (sum_on n S (P k)) (exp eps))); lra.
Qed.
