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

(** ** Without bound *)

Lemma dot_in n P (D : set) x c a : stochastic n P -> (a < n)%nat -> (forall b, (b < n)%nat -> D b = false -> P a b = 0) ->
  (forall b, (b < n)%nat -> D b = true -> x b = c) -> dot n (P a) x = c.
Proof.
  intros HP Ha Hout Hin. rewrite <- (dot_const n (P a) c (HP a Ha)). apply sum_ext. intros b Hb.
  destruct (D b) eqn:E; [rewrite Hin; auto|]. rewrite Hout by assumption. ring.
Qed.

(** Sets D_0, ..., D_t that surely lead into one another, D_(s+1) into D_s: a set that is never left, or the parts of a
    periodic chain in turn. *)
Definition leads (n : nat) (P : nat -> nat -> R) (D : nat -> set) (t : nat) : Prop :=
  forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat -> D (S s) a = true -> D s b = false -> P a b = 0.

(** Is the value in D_s? Yes at all times: e^eps at each. *)
Lemma led_apart n P e D D' t : stochastic n P -> leads n P D t -> leads n P D' t ->
  (forall s a, (a < n)%nat -> D s a = true -> D' s a = false) ->
  forall s a, (s <= t)%nat -> (a < n)%nat ->
  (D s a = true -> before n (fun _ => P) (fun s => corner (D s) e) s a = e ^ s) /\
  (D' s a = true -> before n (fun _ => P) (fun s => corner (D s) e) s a = 1).
Proof.
  intros HP HD HD' Hdis. induction s as [|s IH]; intros a Hs Ha; [simpl; auto|]. simpl before. split; intros Da.
  - apply (dot_in n P (D s)); auto.
    + intros b Hb. apply (HD s); auto.
    + intros b Hb Db. rewrite likelihood_before, (proj1 (IH b ltac:(lia) Hb) Db). unfold corner. rewrite Db. simpl. ring.
  - apply (dot_in n P (D' s)); auto.
    + intros b Hb. apply (HD' s); auto.
    + intros b Hb Db. rewrite likelihood_before, (proj2 (IH b ltac:(lia) Hb) Db). unfold corner.
      destruct (D s b) eqn:E; [|ring]. rewrite (Hdis s b Hb E) in Db. discriminate.
Qed.

(** Two values that never meet: B_t(j,k) is at least e^(t eps), so that BPL_t grows by eps a step as under the strongest
    correlation. *)
Theorem unbounded_apart n P eps D D' t j k lambda : (0 < n)%nat -> stochastic n P -> 0 <= eps ->
  leads n P D t -> leads n P D' t -> (forall s a, (a < n)%nat -> D s a = true -> D' s a = false) ->
  (j < n)%nat -> (k < n)%nat -> D t j = true -> D' t k = true ->
  greatest_before n (fun _ => P) (fun _ => eps) t j k lambda -> exp eps ^ t <= lambda.
Proof.
  intros Hn HP He HD HD' Hdis Hj Hk Dj Dk Hl.
  pose proof (greatest_before_upper n (fun _ => P) (fun _ => eps) _ t j k lambda Hn (fun _ => HP)
    (corner_bounded n (fun _ => eps) D (fun _ => He)) Hl) as H. cbv beta in H.
  destruct (led_apart n P (exp eps) D D' t HP HD HD' Hdis t j (le_n t) Hj) as [H1 _].
  destruct (led_apart n P (exp eps) D D' t HP HD HD' Hdis t k (le_n t) Hk) as [_ H2].
  rewrite H1, H2 in H by assumption. lra.
Qed.

(** A set C with weights u that keeps at least u/e^eps of them, and a set K that is never left. Is the value in C? Yes at all
    times: 1 on K; on C at least as much at every time as flows out of C. *)
Definition keeps (n : nat) (P : nat -> nat -> R) (e : R) (C : set) (u : nat -> R) : Prop :=
  (forall a, (a < n)%nat -> 0 <= u a /\ (C a = false -> u a = 0)) /\
  (forall b, (b < n)%nat -> C b = true -> u b <= e * back n P u b).

Lemma kept n P e C K u : stochastic n P -> 1 <= e -> closed n P K -> (forall a, (a < n)%nat -> C a = true -> K a = false) ->
  keeps n P e C u -> forall s,
  (forall a, (a < n)%nat -> 1 <= before n (fun _ => P) (fun _ => corner C e) s a /\
     (K a = true -> before n (fun _ => P) (fun _ => corner C e) s a = 1)) /\
  INR s * sum_on n (fun b => negb (C b)) (back n P u) <= dot n u (fun a => before n (fun _ => P) (fun _ => corner C e) s a).
Proof.
  intros HP He HK Hdis [Hu Hkeep].
  assert (Hz : forall b, (b < n)%nat -> 0 <= back n P u b).
  { intros b Hb. apply sum_nonneg. intros a Ha. apply Rmult_le_pos; [apply HP; assumption|apply Hu; assumption]. }
  induction s as [|s [IH1 IH2]].
  - split; [intros a _; simpl; lra|]. simpl INR. rewrite Rmult_0_l. apply sum_nonneg. intros a Ha. simpl. rewrite Rmult_1_r.
    apply Hu. assumption.
  - set (f := fun a => before n (fun _ => P) (fun _ => corner C e) s a) in *. set (x := fun b => corner C e b * f b).
    assert (E : forall a, before n (fun _ => P) (fun _ => corner C e) (S s) a = dot n (P a) x).
    { intros a. simpl. apply dot_ext; [reflexivity|]. intros b _. apply likelihood_before. }
    assert (Hx : forall b, (b < n)%nat -> 1 <= x b /\ (C b = false -> x b = f b)).
    { intros b Hb. destruct (IH1 b Hb) as [I _]. fold (f b) in I. unfold x, corner.
      destruct (C b); split; try nra; try discriminate; intros _; ring. }
    split.
    + intros a Ha. rewrite E. split.
      * rewrite <- (dot_const n (P a) 1 (HP a Ha)). apply dot_le; [apply (HP a Ha)|]. intros b Hb. apply Hx. assumption.
      * intros Ka. apply (dot_in n P K); auto. intros b Hb Kb.
        destruct (C b) eqn:Cb; [rewrite (Hdis b Hb Cb) in Kb; discriminate|].
        rewrite (proj2 (Hx b Hb) Cb). apply IH1; assumption.
    + rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l. rewrite (dot_ext n u _ u (fun a => dot n (P a) x)) by auto.
      rewrite dot_back. eapply Rle_trans; [apply Rplus_le_compat_r; exact IH2|]. unfold dot, sum_on. rewrite <- sum_plus.
      apply sum_le. intros b Hb. destruct (IH1 b Hb) as [I _]. fold (f b) in *. specialize (Hz b Hb). unfold x, corner.
      destruct (C b) eqn:Cb; simpl.
      * specialize (Hkeep b Hb Cb). replace (back n P u b * (e * f b)) with (e * back n P u b * f b) by ring.
        rewrite Rplus_0_r. apply Rmult_le_compat_r; lra.
      * rewrite (proj2 (Hu b Hb) Cb). nra.
Qed.

Lemma multiple g v : 0 < g -> exists t, v < INR t * g.
Proof.
  intros Hg. exists (Z.to_nat (up (v / g))). destruct (archimed (v / g)) as [H _]. rewrite INR_IZR_INZ.
  assert (IZR (up (v / g)) <= IZR (Z.of_nat (Z.to_nat (up (v / g))))) by (apply IZR_le; lia).
  apply Rle_lt_trans with (v / g * g); [right; field; lra|]. apply Rmult_lt_compat_r; lra.
Qed.

(** So where something leaves C, some value of C is told from those of K by more than any v in the course of time. *)
Theorem unbounded_kept n P e C K u v : stochastic n P -> 1 <= e -> closed n P K ->
  (forall a, (a < n)%nat -> C a = true -> K a = false) -> keeps n P e C u ->
  0 < sum_on n (fun b => negb (C b)) (back n P u) ->
  exists t j, (j < n)%nat /\ C j = true /\ forall k, (k < n)%nat -> K k = true ->
  v * before n (fun _ => P) (fun _ => corner C e) t k <= before n (fun _ => P) (fun _ => corner C e) t j.
Proof.
  intros HP He HK Hdis Hkeeps Hout. set (g := sum_on n (fun b => negb (C b)) (back n P u)) in *.
  destruct (multiple g (v * sum n u) Hout) as [t Ht].
  destruct (kept n P e C K u HP He HK Hdis Hkeeps t) as [H1 H2]. fold g in H2.
  destruct (sum_pos_term n (fun a => u a * (before n (fun _ => P) (fun _ => corner C e) t a - v))) as [j [Hj Hpos]].
  { rewrite (sum_ext n _ (fun a => u a * before n (fun _ => P) (fun _ => corner C e) t a - v * u a)) by (intros; ring).
    rewrite sum_minus, sum_scale. unfold dot in H2. lra. }
  destruct (proj1 Hkeeps j Hj) as [U0 UC]. exists t, j. split; [assumption|]. destruct (C j) eqn:Cj.
  - split; [reflexivity|]. intros k Hk Kk. rewrite (proj2 (H1 k Hk) Kk). nra.
  - rewrite UC in Hpos by reflexivity. lra.
Qed.
