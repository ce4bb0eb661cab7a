(** When the tight leakage stays bounded for ever, with one matrix P and one budget at all times: where some power of P
    has no entry 0 it does, for every budget; where two values never meet it does not. *)

From TPL Require Export Tight.
Open Scope R_scope.

(** P^m x, and the entries of P^m. *)
Fixpoint apply_power (n : nat) (P : nat -> nat -> R) (m : nat) (x : nat -> R) : nat -> R :=
  match m with
  | O => x
  | S r => fun a => dot n (P a) (apply_power n P r x)
  end.
Definition power (n : nat) (P : nat -> nat -> R) (m a b : nat) : R := apply_power n P m (fun d => if Nat.eqb d b then 1 else 0) a.

(** From everywhere to everywhere in m steps: the chain is irreducible and aperiodic. *)
Definition primitive (n : nat) (P : nat -> nat -> R) (m : nat) : Prop :=
  forall a b, (a < n)%nat -> (b < n)%nat -> 0 < power n P m a b.

(** A set of values that is never left. *)
Definition closed (n : nat) (P : nat -> nat -> R) (D : set) : Prop :=
  forall a b, (a < n)%nat -> (b < n)%nat -> D a = true -> D b = false -> P a b = 0.

Lemma apply_power_linear n P m x a : apply_power n P m x a = sum n (fun b => power n P m a b * x b)
  \/ (n <= a)%nat /\ m = 0%nat.
Proof.
  revert a. induction m as [|m IH]; intros a.
  - destruct (Nat.lt_ge_cases a n) as [Ha|Ha]; [left|right; auto]. unfold power. simpl.
    rewrite (sum_ext n _ (fun b => if Nat.eqb b a then x b else 0)).
    + symmetry. apply (sum_single n a x). assumption.
    + intros b _. destruct (Nat.eqb_spec a b) as [->|]; [rewrite Nat.eqb_refl; ring|].
      destruct (Nat.eqb_spec b a); [congruence|ring].
  - left. unfold power. simpl. transitivity (sum n (fun d => sum n (fun b => P a d * (power n P m d b * x b)))).
    + apply sum_ext. intros d Hd. rewrite sum_scale. f_equal. destruct (IH d) as [E|[E _]]; [exact E|lia].
    + rewrite sum_swap. apply sum_ext. intros b _. unfold dot. rewrite <- sum_scale_r. apply sum_ext. intros d _.
      unfold power. ring.
Qed.

Lemma power_stochastic n P m : stochastic n P -> stochastic n (power n P m).
Proof.
  intros HP.
  assert (H0 : forall r x, (forall b, (b < n)%nat -> 0 <= x b) -> forall a, (a < n)%nat -> 0 <= apply_power n P r x a).
  { induction r as [|r IH]; intros x Hx a Ha; simpl; auto. apply dot_nonneg; [apply HP; assumption|]. auto. }
  assert (H1 : forall r a, (a < n)%nat -> apply_power n P r (fun _ => 1) a = 1).
  { induction r as [|r IH]; intros a Ha; simpl; [reflexivity|].
    rewrite (dot_ext n (P a) _ (P a) (fun _ => 1)) by auto. apply dot_const. apply HP. assumption. }
  intros a Ha. split.
  - intros b Hb. apply H0; auto. intros d _. destruct (Nat.eqb d b); lra.
  - rewrite <- (H1 m a Ha). destruct (apply_power_linear n P m (fun _ => 1) a) as [E|[E _]]; [|lia].
    rewrite E. apply sum_ext. intros; ring.
Qed.

(** m releases change P^m f by a common factor and by e^(eps (m - 1)) at most. *)
Lemma mixed n P eps w t m : (0 < n)%nat -> stochastic n P -> 0 <= eps -> bounded_by n (fun _ => eps) w ->
  exists x, 0 <= x /\ forall a, (a < n)%nat ->
  x * apply_power n P (S m) (likelihood n (fun _ => P) w t) a <= before n (fun _ => P) w (S (m + t)) a
  <= x * exp eps ^ m * apply_power n P (S m) (likelihood n (fun _ => P) w t) a.
Proof.
  intros Hn HP He Hw. pose proof (exp_ratio eps He) as HE. set (f := likelihood n (fun _ => P) w t).
  assert (Hf : forall r a, (a < n)%nat -> 0 <= apply_power n P r f a).
  { induction r as [|r IH]; intros a Ha; simpl.
    - apply likelihood_nonneg; auto. intros s b Hb. apply (Hw s b b Hb Hb).
    - apply dot_nonneg; [apply HP; assumption|auto]. }
  induction m as [|m [x [Hx IH]]].
  - exists 1. split; [lra|]. intros a Ha. simpl. fold f. lra.
  - destruct (least_entry n (w (S (m + t))) Hn) as [k [Hk Hmin]]. exists (x * w (S (m + t)) k).
    assert (W0 : 0 <= w (S (m + t)) k) by apply (Hw (S (m + t)) k k Hk Hk).
    split; [apply Rmult_le_pos; assumption|]. intros a Ha.
    assert (Hb : forall b, (b < n)%nat ->
      x * w (S (m + t)) k * apply_power n P (S m) f b <= likelihood n (fun _ => P) w (S (m + t)) b
      <= x * w (S (m + t)) k * exp eps ^ S m * apply_power n P (S m) f b).
    { intros b Hb. rewrite likelihood_before. destruct (IH b Hb) as [I1 I2].
      specialize (Hmin b Hb). destruct (Hw (S (m + t)) b k Hb Hk) as [V0 V]. pose proof (Hf (S m) b Hb) as F0.
      assert (0 <= x * apply_power n P (S m) f b) by (apply Rmult_le_pos; assumption). split.
      - replace (x * w (S (m + t)) k * apply_power n P (S m) f b)
          with (w (S (m + t)) k * (x * apply_power n P (S m) f b)) by ring. apply Rmult_le_compat; lra.
      - replace (x * w (S (m + t)) k * exp eps ^ S m * apply_power n P (S m) f b)
          with (exp eps * w (S (m + t)) k * (x * exp eps ^ m * apply_power n P (S m) f b)) by (simpl; ring).
        apply Rmult_le_compat; lra. }
    change (before n (fun _ => P) w (S (S m + t)) a) with (dot n (P a) (likelihood n (fun _ => P) w (S (m + t)))).
    change (apply_power n P (S (S m)) f a) with (dot n (P a) (apply_power n P (S m) f)). rewrite <- !dot_scale. split.
    + apply dot_le; [apply HP; assumption|]. intros b Hb'. apply Hb. assumption.
    + apply dot_le; [apply HP; assumption|]. intros b Hb'. apply Hb. assumption.
Qed.

(** Within one budget eps and a primitive chain: however long the releases go on, no mechanism tells two values apart by
    more than u. *)
Theorem bounded_for_ever n P eps m : (0 < n)%nat -> stochastic n P -> 0 <= eps -> primitive n P (S m) ->
  exists u, forall t j k lambda, (j < n)%nat -> (k < n)%nat ->
  greatest_before n (fun _ => P) (fun _ => eps) t j k lambda -> lambda <= u.
Proof.
  intros Hn HP He Hm. pose proof (exp_ratio eps He) as HE.
  assert (Hleast : exists p, 0 < p /\ forall a b, (a < n)%nat -> (b < n)%nat -> p <= power n P (S m) a b).
  { assert (H : forall r, (r <= n)%nat -> exists p, 0 < p <= 1 /\ forall a b, (a < r)%nat -> (b < n)%nat -> p <= power n P (S m) a b).
    { induction r as [|r IH]; intros Hr; [exists 1; split; [lra|intros; lia]|].
      destruct IH as [p [Hp IH]]; [lia|]. destruct (least_entry n (power n P (S m) r) Hn) as [k [Hk Hmin]].
      assert (Hpos : 0 < power n P (S m) r k) by (apply Hm; lia).
      exists (Rmin p (power n P (S m) r k)). split.
      - split; [apply Rmin_glb_lt; lra|]. pose proof (Rmin_l p (power n P (S m) r k)). lra.
      - intros a b Ha Hb. destruct (Nat.eq_dec a r) as [->|].
        + pose proof (Rmin_r p (power n P (S m) r k)). specialize (Hmin b Hb). lra.
        + pose proof (Rmin_l p (power n P (S m) r k)). specialize (IH a b ltac:(lia) Hb). lra. }
    destruct (H n (le_n n)) as [p [Hp Hall]]. exists p. split; [lra|assumption]. }
  destruct Hleast as [p [Hp Hpow]].
  set (late := exp eps ^ m * / p). set (early := exp (INR m * eps)).
  assert (Hlate0 : 0 <= late). { apply Rmult_le_pos; [apply pow_le; lra|left; apply Rinv_0_lt_compat; assumption]. }
  exists (Rmax late early). intros t j k lambda Hj Hk Hl.
  destruct (Nat.le_gt_cases t m) as [Ht|Ht].
  - (* the first releases: by the recursion, which rises by eps a step at most *)
    destruct (greatest_before_exists n (fun _ => P) (fun _ => eps) t j k) as [x [Hx Hx']]; auto.
    rewrite (greatest_before_unique n (fun _ => P) (fun _ => eps) t j k lambda x) by auto.
    eapply Rle_trans; [apply Hx|]. eapply Rle_trans; [|apply Rmax_r]. apply exp_le.
    assert (HB : forall s, BPL n (fun _ => P) (fun _ => eps) s <= (INR s + 1) * eps).
    { induction s as [|s IH]; [simpl; lra|]. rewrite S_INR.
      change (loss n P (BPL n (fun _ => P) (fun _ => eps) s) + eps <= (INR s + 1 + 1) * eps).
      pose proof (remark_1 n P _ HP (BPL_nonneg n (fun _ => P) (fun _ => eps) s (fun _ => HP) (fun _ => He))). lra. }
    specialize (HB t). apply le_INR in Ht. assert (INR t * eps <= INR m * eps) by (apply Rmult_le_compat_r; lra). lra.
  - (* all later ones *)
    eapply Rle_trans; [|apply Rmax_l].
    set (w := fun s => corner (asked_before n (fun _ => P) (fun _ => eps) t j k lambda s) (exp eps)).
    assert (Hw : bounded_by n (fun _ => eps) w).
    { apply (corner_bounded n (fun _ => eps) (asked_before n (fun _ => P) (fun _ => eps) t j k lambda)). auto. }
    pose proof (greatest_before_attained n (fun _ => P) (fun _ => eps) w t j k lambda (fun _ => HP) Hl
      ltac:(reflexivity) Hj Hk) as E.
    assert (Hpos : 0 < before n (fun _ => P) w t k).
    { apply before_positive; auto. intros s b _ _. unfold w, corner.
      destruct (asked_before n (fun _ => P) (fun _ => eps) t j k lambda s b); lra. }
    apply Rmult_le_reg_r with (before n (fun _ => P) w t k); [assumption|]. rewrite <- E.
    replace t with (S (m + (t - S m))) by lia. set (s := (t - S m)%nat).
    destruct (mixed n P eps w s m Hn HP He Hw) as [x [Hx Hmix]]. set (f := likelihood n (fun _ => P) w s) in *.
    eapply Rle_trans; [apply Hmix; assumption|].
    apply Rle_trans with (late * (x * apply_power n P (S m) f k)).
    + unfold late. replace (exp eps ^ m * / p * (x * apply_power n P (S m) f k))
        with (x * exp eps ^ m * (/ p * apply_power n P (S m) f k)) by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; [assumption|apply pow_le; lra]|].
      destruct (apply_power_linear n P (S m) f j) as [Ej|[Z _]]; [|lia].
      destruct (apply_power_linear n P (S m) f k) as [Ek|[Z _]]; [|lia]. rewrite Ej, Ek, <- sum_scale.
      apply sum_le. intros b Hb.
      assert (0 <= f b) by (apply likelihood_nonneg; auto; intros r d Hd; apply (Hw r d d Hd Hd)).
      rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [assumption|].
      pose proof (power_stochastic n P (S m) HP j Hj) as [Q0 Q1].
      assert (power n P (S m) j b <= 1) by (rewrite <- Q1; apply sum_term; assumption).
      specialize (Hpow k b Hk Hb). apply Rmult_le_reg_l with p; [assumption|].
      rewrite <- Rmult_assoc, Rinv_r by lra. nra.
    + apply Rmult_le_compat_l; [assumption|]. apply Hmix. assumption.
Qed.

(** Two values that never meet, in disjoint sets that are never left: B_t(j,k) is at least e^(t eps), so that BPL_t grows
    by eps a step as under the strongest correlation. *)
Theorem unbounded_apart n P eps D D' t j k lambda : (0 < n)%nat -> stochastic n P -> 0 <= eps ->
  closed n P D -> closed n P D' -> (forall a, (a < n)%nat -> D a = true -> D' a = false) ->
  (j < n)%nat -> (k < n)%nat -> D j = true -> D' k = true ->
  greatest_before n (fun _ => P) (fun _ => eps) t j k lambda -> exp eps ^ t <= lambda.
Proof.
  intros Hn HP He HD HD' Hdis Hj Hk Dj Dk Hl. set (w := fun _ : nat => corner D (exp eps)).
  assert (Hw : bounded_by n (fun _ => eps) w) by (apply (corner_bounded n (fun _ => eps) (fun _ => D)); auto).
  pose proof (greatest_before_upper n (fun _ => P) (fun _ => eps) w t j k lambda Hn (fun _ => HP) Hw Hl) as H.
  assert (Hstay : forall (E : set) x c a, closed n P E -> (a < n)%nat -> E a = true ->
            (forall b, (b < n)%nat -> E b = true -> x b = c) -> dot n (P a) x = c).
  { intros E x c a HE Ha Ea Hx. rewrite <- (dot_const n (P a) c (HP a Ha)). apply sum_ext. intros b Hb.
    destruct (E b) eqn:Eb; [rewrite Hx; auto|]. rewrite (HE a b) by auto. ring. }
  assert (HL : forall s a, (a < n)%nat -> (D a = true -> before n (fun _ => P) w s a = exp eps ^ s) /\
                                      (D' a = true -> before n (fun _ => P) w s a = 1)).
  { induction s as [|s IH]; intros a Ha; [simpl; auto|]. simpl before. split; intros Da.
    - apply (Hstay D); auto. intros b Hb Db. rewrite likelihood_before.
      rewrite (proj1 (IH b Hb) Db). unfold w, corner. rewrite Db. simpl. ring.
    - apply (Hstay D'); auto. intros b Hb Db. rewrite likelihood_before.
      rewrite (proj2 (IH b Hb) Db). unfold w, corner. destruct (D b) eqn:E; [|ring].
      rewrite (Hdis b Hb E) in Db. discriminate. }
  rewrite (proj1 (HL t j Hj) Dj), (proj2 (HL t k Hk) Dk) in H. lra.
Qed.
