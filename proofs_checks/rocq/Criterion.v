(** When the tight leakage stays bounded for ever, with one matrix P and one budget at all times:
    Theorem [criterion], if and only if there is one closed class, aperiodic, and e^eps times the
    spectral radius of the transient values' block is below 1. *)

From TPL Require Export Tight.
Open Scope R_scope.

(** P^m x, and the entries of P^m. *)
Fixpoint apply_power (n : nat) (P : nat -> nat -> R) (m : nat) (x : nat -> R) : nat -> R :=
  match m with
  | O => x
  | S r => fun a => dot n (P a) (apply_power n P r x)
  end.
Definition power (n : nat) (P : nat -> nat -> R) (m a b : nat) : R := apply_power n P m (fun d =>
  if Nat.eqb d b then 1 else 0) a.

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
  - left. unfold power. simpl.
    transitivity (sum n (fun d => sum n (fun b => P a d * (power n P m d b * x b)))).
    + apply sum_ext. intros d Hd. rewrite sum_scale. f_equal. destruct (IH d) as [E|[E _]];
      [exact E|lia].
    + rewrite sum_swap. apply sum_ext. intros b _. unfold dot. rewrite <- sum_scale_r.
      apply sum_ext. intros d _.
      unfold power. ring.
Qed.

Lemma power_stochastic n P m : stochastic n P -> stochastic n (power n P m).
Proof.
  intros HP.
  assert (H0 : forall r x, (forall b, (b < n)%nat -> 0 <= x b) -> forall a, (a < n)%nat ->
    0 <= apply_power n P r x a).
  { induction r as [|r IH]; intros x Hx a Ha; simpl; auto. apply dot_nonneg;
    [apply HP; assumption|]. auto. }
  assert (H1 : forall r a, (a < n)%nat -> apply_power n P r (fun _ => 1) a = 1).
  { induction r as [|r IH]; intros a Ha; simpl; [reflexivity|].
    rewrite (dot_ext n (P a) _ (P a) (fun _ => 1)) by auto. apply dot_const. apply HP.
      assumption. }
  intros a Ha. split.
  - intros b Hb. apply H0; auto. intros d _. destruct (Nat.eqb d b); lra.
  - rewrite <- (H1 m a Ha). destruct (apply_power_linear n P m (fun _ => 1) a) as [E|[E _]];
    [|lia].
    rewrite E. apply sum_ext. intros; ring.
Qed.

Lemma power_add n P m r a b : (a < n)%nat -> power n P (m + r) a b = sum n (fun d =>
  power n P m a d * power n P r d b).
Proof.
  intros Ha. transitivity (apply_power n P m (fun d => power n P r d b) a).
  - unfold power. clear Ha. revert a. induction m as [|m IH]; intros a; simpl; [reflexivity|].
    apply dot_ext; auto.
  - destruct (apply_power_linear n P m (fun d => power n P r d b) a) as [E|[E _]]; [exact E|lia].
Qed.

Lemma power_one n P a b : (b < n)%nat -> power n P 1 a b = P a b.
Proof.
  intros Hb. unfold power. simpl. unfold dot. rewrite <- (sum_single n b (P a) Hb). apply sum_ext.
    intros d _.
  destruct (Nat.eqb d b); ring.
Qed.

(** A path through d. *)
Lemma power_through n P m r a d b : stochastic n P -> (a < n)%nat -> (d < n)%nat -> (b < n)%nat ->
  0 < power n P m a d -> 0 < power n P r d b -> 0 < power n P (m + r) a b.
Proof.
  intros HP Ha Hd Hb H1 H2. rewrite power_add by assumption.
  apply Rlt_le_trans with (power n P m a d * power n P r d b); [apply Rmult_lt_0_compat;
    assumption|].
  apply (sum_term n (fun d => power n P m a d * power n P r d b) d); [|assumption]. intros c Hc.
  apply Rmult_le_pos; apply power_stochastic; assumption.
Qed.

(** In a closed set powers see the set alone. *)
Lemma apply_power_closed n P D m x y : closed n P D -> (forall b, (b < n)%nat -> D b = true ->
  x b = y b) ->
  forall a, (a < n)%nat -> D a = true -> apply_power n P m x a = apply_power n P m y a.
Proof.
  intros HD H. induction m as [|m IH]; intros a Ha Da; simpl; [auto|]. apply sum_ext. intros b Hb.
  destruct (D b) eqn:E; [rewrite IH by assumption; reflexivity|]. rewrite (HD a b) by assumption.
    ring.
Qed.

(** m releases change P^m f by a common factor and by e^(eps (m - 1)) at most. *)
Lemma mixed n P eps w t m : (0 < n)%nat -> stochastic n P -> 0 <= eps -> bounded_by n (fun _ =>
  eps) w ->
  exists x, 0 <= x /\ forall a, (a < n)%nat ->
  x * apply_power n P (S m) (likelihood n (fun _ => P) w t) a <= before n (fun _ =>
    P) w (S (m + t)) a
  <= x * exp eps ^ m * apply_power n P (S m) (likelihood n (fun _ => P) w t) a.
Proof.
  intros Hn HP He Hw. pose proof (exp_ratio eps He) as HE.
    set (f := likelihood n (fun _ => P) w t).
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
      specialize (Hmin b Hb). destruct (Hw (S (m + t)) b k Hb Hk) as [V0 V].
        pose proof (Hf (S m) b Hb) as F0.
      assert (0 <= x * apply_power n P (S m) f b) by (apply Rmult_le_pos; assumption). split.
      - replace (x * w (S (m + t)) k * apply_power n P (S m) f b)
          with (w (S (m + t)) k * (x * apply_power n P (S m) f b)) by ring. apply Rmult_le_compat;
            lra.
      - replace (x * w (S (m + t)) k * exp eps ^ S m * apply_power n P (S m) f b)
          with (exp eps * w (S (m + t)) k * (x * exp eps ^ m * apply_power n P (S m) f b))
            by (simpl; ring).
        apply Rmult_le_compat; lra. }
    change (before n (fun _ => P) w (S (S m + t)) a) with (dot n (P a) (likelihood n (fun _ =>
      P) w (S (m + t)))).
    change (apply_power n P (S (S m)) f a) with (dot n (P a) (apply_power n P (S m) f)).
      rewrite <- !dot_scale. split.
    + apply dot_le; [apply HP; assumption|]. intros b Hb'. apply Hb. assumption.
    + apply dot_le; [apply HP; assumption|]. intros b Hb'. apply Hb. assumption.
Qed.

(** ** Bounded *)

(** No mechanism tells two values apart by more than u, however long the releases go on. *)
Definition bounded_by_ratio (n : nat) (P : nat -> nat -> R) (eps u : R) : Prop :=
  forall t j k lambda, (j < n)%nat -> (k < n)%nat -> greatest_before n (fun _ => P) (fun _ =>
    eps) t j k lambda -> lambda <= u.

(** (i) A set that is never left, to each value of which there is a way from everywhere in the same
    number of steps: the chain has one closed class, which is aperiodic, and some power of P has a
    positive column. *)
Definition reached_from_everywhere (n : nat) (P : nat -> nat -> R) (K : set) (m : nat) : Prop :=
  (exists a, (a < n)%nat /\ K a = true) /\ closed n P K /\
  forall a b, (a < n)%nat -> (b < n)%nat -> K b = true -> 0 < power n P m a b.

(** (ii) A vector h > 0 on the other values, the transient ones, that e^eps P lowers there: e^eps
    times the spectral radius of their block is below 1. *)
Definition lowered (n : nat) (P : nat -> nat -> R) (e : R) (K : set) (h : nat -> R) : Prop :=
  forall a, (a < n)%nat -> K a = false -> 0 < h a /\ e * sum_on n (fun b => negb (K b)) (fun b =>
    P a b * h b) < h a.

Lemma least_on n (K : set) x : (exists a, (a < n)%nat /\ K a = true) ->
  exists k, (k < n)%nat /\ K k = true /\ forall b, (b < n)%nat -> K b = true -> x k <= x b.
Proof.
  induction n as [|n IH]; intros [a [Ha Ka]]; [lia|].
  destruct (Nat.eq_dec a n) as [->|Hne].
  - assert (Hcase : (exists a, (a < n)%nat /\ K a = true) \/ forall b, (b < n)%nat -> K b = false).
    { clear. induction n as [|n IH]; [right; intros; lia|]. destruct IH as [[a [Ha Ka]]|H];
      [left; exists a; auto|].
      destruct (K n) eqn:E; [left; exists n; auto|]. right. intros b Hb.
        destruct (Nat.eq_dec b n) as [->|]; [assumption|apply H; lia]. }
    destruct Hcase as [H|H].
    + destruct (IH H) as [k [Hk [Kk Hmin]]]. destruct (Rle_dec (x k) (x n)) as [Hle|Hle].
      * exists k. repeat split; auto. intros b Hb Kb. destruct (Nat.eq_dec b n) as [->|];
        [assumption|apply Hmin; auto; lia].
      * exists n. repeat split; auto. intros b Hb Kb. destruct (Nat.eq_dec b n) as [->|]; [lra|].
        specialize (Hmin b ltac:(lia) Kb). lra.
    + exists n. repeat split; auto. intros b Hb Kb. destruct (Nat.eq_dec b n) as [->|]; [lra|].
      rewrite H in Kb by lia. discriminate.
  - destruct IH as [k [Hk [Kk Hmin]]]; [exists a; split; [lia|assumption]|]. destruct (K n) eqn:E.
    + destruct (Rle_dec (x k) (x n)) as [Hle|Hle].
      * exists k. repeat split; auto. intros b Hb Kb. destruct (Nat.eq_dec b n) as [->|];
        [assumption|apply Hmin; auto; lia].
      * exists n. repeat split; auto. intros b Hb Kb. destruct (Nat.eq_dec b n) as [->|]; [lra|].
        specialize (Hmin b ltac:(lia) Kb). lra.
    + exists k. repeat split; auto. intros b Hb Kb. destruct (Nat.eq_dec b n) as [->|];
      [congruence|apply Hmin; auto; lia].
Qed.

(** A positive number below all of finitely many. *)
Lemma common_floor n (x : nat -> R) (K : set) : (forall a, (a < n)%nat -> K a = true -> 0 < x a) ->
  exists p, 0 < p <= 1 /\ forall a, (a < n)%nat -> K a = true -> p <= x a.
Proof.
  induction n as [|n IH]; intros H; [exists 1; split; [lra|intros; lia]|].
  destruct IH as [p [Hp Hall]]; [auto|]. destruct (K n) eqn:E.
  - exists (Rmin p (x n)). pose proof (H n ltac:(lia) E). pose proof (Rmin_l p (x n)).
    pose proof (Rmin_r p (x n)). split.
    + split; [apply Rmin_glb_lt; lra|lra].
    + intros a Ha Ka. destruct (Nat.eq_dec a n) as [->|]; [assumption|].
      specialize (Hall a ltac:(lia) Ka). lra.
  - exists p. split; [assumption|]. intros a Ha Ka. destruct (Nat.eq_dec a n) as [->|];
    [congruence|apply Hall; auto; lia].
Qed.

(** From a closed set that is reached from everywhere in m steps: its values are alike, and none is
    much less likely. *)
Lemma alike n P eps K m : stochastic n P -> 0 <= eps -> reached_from_everywhere n P K (S m) ->
  exists c, 1 <= c /\ forall w, (forall s a, (a < n)%nat -> 1 <= w s a <= exp eps) ->
  forall t a b, (a < n)%nat -> (b < n)%nat -> K b = true ->
  1 <= before n (fun _ => P) w t a /\ before n (fun _ => P) w t b <= c * before n (fun _ =>
    P) w t a.
Proof.
  intros HP He [_ [HK Hreach]]. pose proof (exp_ratio eps He) as HE.
  assert (Hfloor : exists p, 0 < p <= 1 /\ forall a b, (a < n)%nat -> (b < n)%nat -> K b = true ->
    p <= power n P (S m) a b).
  { assert (H : forall r, (r <= n)%nat -> exists p, 0 < p <= 1 /\
      forall a b, (a < r)%nat -> (b < n)%nat -> K b = true -> p <= power n P (S m) a b).
    { induction r as [|r IH]; intros Hr; [exists 1; split; [lra|intros; lia]|].
      destruct IH as [p [Hp IH]]; [lia|].
      destruct (common_floor n (power n P (S m) r) K) as [q [Hq Hall]]; [intros; apply Hreach;
        auto|].
      exists (Rmin p q). pose proof (Rmin_l p q). pose proof (Rmin_r p q).
        split; [split; [apply Rmin_glb_lt; lra|lra]|].
      intros a b Ha Hb Kb. destruct (Nat.eq_dec a r) as [->|]; [specialize (Hall b Hb Kb); lra|].
      specialize (IH a b ltac:(lia) Hb Kb). lra. }
    destruct (H n (le_n n)) as [p [Hp Hall]]. exists p. auto. }
  destruct Hfloor as [p [Hp Hfloor]].
  assert (Hpow : forall r, 1 <= exp eps ^ r) by (intros; apply pow_R1_Rle; assumption).
  assert (Hinv : 1 <= / p) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  exists (exp eps ^ m * / p). split; [specialize (Hpow m); nra|]. intros w Hw.
  assert (Hw' : bounded_by n (fun _ => eps) w).
  { intros s a b Ha Hb. pose proof (Hw s a Ha). pose proof (Hw s b Hb). split; [lra|]. nra. }
  assert (Hrange : forall t a, (a < n)%nat -> 1 <= before n (fun _ => P) w t a <= exp eps ^ t).
  { induction t as [|t IH]; intros a Ha; simpl before; [simpl; lra|].
    apply dot_between; [apply HP; assumption|]. intros b Hb. rewrite likelihood_before.
    specialize (IH b Hb). specialize (Hw t b Hb). split; [nra|]. simpl. apply Rmult_le_compat;
      lra. }
  intros t a b Ha Hb Kb. split; [apply Hrange; assumption|].
  destruct (Nat.le_gt_cases t m) as [Ht|Ht].
  - destruct (Hrange t a Ha) as [A1 _]. destruct (Hrange t b Hb) as [_ B1].
    assert (exp eps ^ t <= exp eps ^ m) by (apply Rle_pow; assumption). specialize (Hpow m).
    apply Rle_trans with (exp eps ^ m * 1 * 1); [lra|]. apply Rmult_le_compat; try lra.
      apply Rmult_le_compat; lra.
  - replace t with (S (m + (t - S m))) by lia. set (s := (t - S m)%nat).
    destruct (mixed n P eps w s m ltac:(lia) HP He Hw') as [x [Hx Hmix]].
      set (f := likelihood n (fun _ => P) w s) in *.
    assert (Hf : forall d, (d < n)%nat -> 0 <= f d).
    { intros d Hd. apply likelihood_nonneg; auto. intros r e Hr. specialize (Hw r e Hr). lra. }
    set (on_K := fun d => if K d then f d else 0).
    assert (Hupper : apply_power n P (S m) f b <= sum n on_K).
    { rewrite (apply_power_closed n P K (S m) f on_K HK) by (auto; unfold on_K; intros d _ Kd;
      rewrite Kd; reflexivity).
      destruct (apply_power_linear n P (S m) on_K b) as [E|[_ E]]; [|discriminate]. rewrite E.
        apply sum_le. intros d Hd.
      pose proof (power_stochastic n P (S m) HP b Hb) as [Q0 Q1].
      assert (power n P (S m) b d <= 1) by (rewrite <- Q1; apply sum_term; assumption).
      assert (0 <= on_K d) by (unfold on_K; destruct (K d); [auto|lra]). specialize (Q0 d Hd).
        nra. }
    assert (Hlower : p * sum n on_K <= apply_power n P (S m) f a).
    { destruct (apply_power_linear n P (S m) f a) as [E|[_ E]]; [|discriminate].
      rewrite E, <- sum_scale. apply sum_le. intros d Hd.
      pose proof (proj1 (power_stochastic n P (S m) HP a Ha) d Hd) as Q0. unfold on_K.
        specialize (Hf d Hd).
      destruct (K d) eqn:Kd; [|nra]. specialize (Hfloor a d Ha Hd Kd). apply Rmult_le_compat_r;
        assumption. }
    destruct (Hmix a Ha) as [Ma _]. destruct (Hmix b Hb) as [_ Mb]. eapply Rle_trans; [exact Mb|].
    apply Rle_trans with (x * exp eps ^ m * sum n on_K).
    + apply Rmult_le_compat_l; [apply Rmult_le_pos; [assumption|specialize (Hpow m);
      lra]|assumption].
    + apply Rle_trans with (exp eps ^ m * / p * (x * (p * sum n on_K))); [right; field; lra|].
      apply Rmult_le_compat_l; [specialize (Hpow m); apply Rmult_le_pos; lra|]. eapply Rle_trans;
        [|exact Ma].
      apply Rmult_le_compat_l; assumption.
Qed.

(** (i) and (ii) bound the tight leakage for ever. *)
Theorem bounded_with_transient n P eps K m h : stochastic n P -> 0 <= eps ->
  reached_from_everywhere n P K (S m) ->
  lowered n P (exp eps) K h -> exists u, bounded_by_ratio n P eps u.
Proof.
  intros HP He HK Hh. pose proof (exp_ratio eps He) as HE.
  destruct (alike n P eps K m HP He HK) as [c [Hc Halike]]. destruct HK as [HK0 [HK _]].
  set (out := fun b => negb (K b)) in *. set (total := sum_on n out h).
  assert (Hout : forall a, out a = true <-> K a = false) by (intros a; unfold out; destruct (K a);
    simpl; split; congruence).
  destruct (common_floor n (fun a => h a - exp eps * sum_on n out (fun b => P a b * h b)) out)
    as [gap [Hgap Hall]].
  { intros a Ha Oa. apply Hout in Oa. destruct (Hh a Ha Oa) as [_ H]. fold out in H. lra. }
  destruct (common_floor n h out) as [low [Hlow Hbelow]].
  { intros a Ha Oa. apply Hout in Oa. apply (Hh a Ha Oa). }
  set (M := / low + exp eps * c / gap).
  assert (HM : exp eps * c <= M * gap /\ 1 <= M * low /\ 0 <= M).
  { assert (0 < / low) by (apply Rinv_0_lt_compat; lra).
    assert (0 < exp eps * c / gap) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
      unfold M. split; [|split; [|lra]].
    - rewrite Rmult_plus_distr_r. replace (exp eps * c / gap * gap) with (exp eps * c) by (field;
      lra). nra.
    - rewrite Rmult_plus_distr_r, Rinv_l by lra. nra. }
  assert (Hup : forall w, (forall s a, (a < n)%nat -> 1 <= w s a <= exp eps) -> forall t a b,
    (a < n)%nat -> (b < n)%nat ->
    K a = false -> K b = true -> before n (fun _ => P) w t a <= M * h a * before n (fun _ => P) w t
      b).
  { intros w Hw. induction t as [|t IH]; intros a b Ha Hb Ka Kb.
    - simpl. specialize (Hbelow a Ha ltac:(apply Hout; assumption)). nra.
    - set (g := before n (fun _ => P) w t) in *. destruct (least_on n K g HK0)
      as [k [Hk [Kk Hmin]]].
      assert (Hgk : 1 <= g k) by apply (Halike w Hw t k k Hk Hk Kk).
      apply Rle_trans with (M * h a * g k).
      + simpl before. destruct (Hh a Ha Ka) as [Ha0 _].
        specialize (Hall a Ha ltac:(apply Hout; assumption)). fold out in Hall.
        apply Rle_trans with (exp eps * c * g k + exp eps * M * g k * sum_on n out (fun b =>
          P a b * h b)).
        * apply Rle_trans with (sum n (fun d => exp eps * c * g k * P a d + exp eps * M * g k *
          (if out d then P a d * h d else 0))).
          -- apply sum_le. intros d Hd. rewrite likelihood_before. fold (g d).
            pose proof (proj1 (HP a Ha) d Hd) as P0.
             destruct (Hw t d Hd) as [W1 W2]. destruct (K d) eqn:Kd.
             ++ assert (Od : out d = false) by (unfold out; rewrite Kd; reflexivity). rewrite Od.
                destruct (Halike w Hw t k d Hk Hd Kd) as [_ G]. fold (g d) (g k) in G.
                assert (G1 : 1 <= g d) by apply (Halike w Hw t d d Hd Hd Kd).
                assert (w t d * g d <= exp eps * (c * g k)) by (apply Rmult_le_compat; lra). nra.
             ++ assert (Od : out d = true) by (apply Hout; assumption). rewrite Od.
               specialize (IH d k Hd Hk Kd Kk).
                assert (G1 : 1 <= g d) by apply (Halike w Hw t d k Hd Hk Kk).
                assert (w t d * g d <= exp eps * (M * h d * g k)) by (apply Rmult_le_compat; lra).
                assert (0 <= exp eps * c * g k * P a d) by (repeat apply Rmult_le_pos; lra). nra.
          -- rewrite sum_plus, !sum_scale, (proj2 (HP a Ha)). unfold sum_on. right. ring.
        * set (x := sum_on n out (fun b => P a b * h b)) in *.
          assert (M * (exp eps * x) <= M * (h a - gap)) by (apply Rmult_le_compat_l; lra).
          assert (exp eps * c + exp eps * M * x <= M * h a) by lra.
          replace (exp eps * c * g k + exp eps * M * g k * x) with ((exp eps * c + exp eps * M * x)
            * g k) by ring.
          apply Rmult_le_compat_r; lra.
      + destruct (Hh a Ha Ka) as [Ha0 _]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
        simpl before.
        rewrite <- (dot_const n (P b) (g k) (HP b Hb)). apply sum_le. intros d Hd.
          pose proof (proj1 (HP b Hb) d Hd) as P0.
        destruct (K d) eqn:Kd; [|rewrite (HK b d) by assumption; lra]. apply Rmult_le_compat_l;
          [assumption|].
        rewrite likelihood_before. fold (g d). specialize (Hmin d Hd Kd). destruct (Hw t d Hd).
          nra. }
  assert (Htotal : forall a, (a < n)%nat -> K a = false -> 0 < h a <= total).
  { intros a Ha Ka. split; [apply (Hh a Ha Ka)|].
    pose proof (sum_term n (fun b => if out b then h b else 0) a) as H. cbv beta in H.
    rewrite (proj2 (Hout a) Ka) in H. apply H; [|assumption]. intros b Hb. destruct (out b) eqn:Ob;
      [|lra].
    apply Hout in Ob. destruct (Hh b Hb Ob). lra. }
  exists (c + M * total * c). intros t j k lambda Hj Hk Hl.
  set (w := fun s => corner (asked_before n (fun _ => P) (fun _ => eps) t j k lambda s) (exp eps)).
  assert (Hw : forall s a, (a < n)%nat -> 1 <= w s a <= exp eps).
  { intros s a _. unfold w, corner. destruct (asked_before n (fun _ => P) (fun _ => eps) t j k
    lambda s a); lra. }
  pose proof (greatest_before_attained n (fun _ => P) (fun _ => eps) w t j k lambda (fun _ =>
    HP) Hl ltac:(reflexivity) Hj Hk) as E.
  destruct HK0 as [b [Hb Kb]]. destruct (Halike w Hw t k b Hk Hb Kb) as [Gk Gb].
    set (g := before n (fun _ => P) w t) in *.
  assert (Gb1 : 1 <= g b) by apply (Halike w Hw t b b Hb Hb Kb).
  apply Rmult_le_reg_r with (g k); [lra|]. rewrite <- E. destruct (K j) eqn:Kj.
  - destruct (Halike w Hw t k j Hk Hj Kj) as [_ Gj]. fold (g j) (g k) in Gj.
    assert (0 <= M * total * c * g k); [|lra]. assert (0 <= total) by (apply sum_nonneg;
      intros a Ha; destruct (out a) eqn:Oa; [|lra];
      apply Hout in Oa; destruct (Hh a Ha Oa); lra). repeat apply Rmult_le_pos; lra.
  - specialize (Hup w Hw t j b Hj Hb Kj Kb). fold (g j) (g b) in Hup.
    destruct (Htotal j Hj Kj) as [H0 H1].
    apply Rle_trans with (M * h j * (c * g k)); [|].
    + eapply Rle_trans; [exact Hup|]. apply Rmult_le_compat_l; [apply Rmult_le_pos;
      lra|assumption].
    + assert (M * h j <= M * total) by (apply Rmult_le_compat_l; lra).
      assert (M * h j * (c * g k) <= M * total * (c * g k)) by (apply Rmult_le_compat_r;
        [apply Rmult_le_pos; lra|assumption]).
      assert (0 <= c * g k) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Without transient values (i) is enough, for every budget: an irreducible, aperiodic chain. *)
Theorem bounded_for_ever n P eps m : (0 < n)%nat -> stochastic n P -> 0 <= eps ->
  primitive n P (S m) ->
  exists u, bounded_by_ratio n P eps u.
Proof.
  intros Hn HP He Hm. apply (bounded_with_transient n P eps (fun _ => true) m (fun _ => 1)); auto;
    [|discriminate].
  split; [exists 0%nat; auto|]. split; [discriminate|]. intros a b Ha Hb _. apply Hm; assumption.
Qed.

(** ** Without bound *)

Lemma dot_in n P (D : set) x c a : stochastic n P -> (a < n)%nat -> (forall b, (b < n)%nat ->
  D b = false -> P a b = 0) ->
  (forall b, (b < n)%nat -> D b = true -> x b = c) -> dot n (P a) x = c.
Proof.
  intros HP Ha Hout Hin. rewrite <- (dot_const n (P a) c (HP a Ha)). apply sum_ext. intros b Hb.
  destruct (D b) eqn:E; [rewrite Hin; auto|]. rewrite Hout by assumption. ring.
Qed.

(** Sets D_0, ..., D_t that surely lead into one another, D_(s+1) into D_s: a set that is never
    left, or the parts of a periodic chain in turn. *)
Definition leads (n : nat) (P : nat -> nat -> R) (D : nat -> set) (t : nat) : Prop :=
  forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat -> D (S s) a = true -> D s b = false ->
    P a b = 0.

(** Is the value in D_s? Yes at all times: e^eps at each. *)
Lemma led_apart n P e D D' t : stochastic n P -> leads n P D t -> leads n P D' t ->
  (forall s a, (a < n)%nat -> D s a = true -> D' s a = false) ->
  forall s a, (s <= t)%nat -> (a < n)%nat ->
  (D s a = true -> before n (fun _ => P) (fun s => corner (D s) e) s a = e ^ s) /\
  (D' s a = true -> before n (fun _ => P) (fun s => corner (D s) e) s a = 1).
Proof.
  intros HP HD HD' Hdis. induction s as [|s IH]; intros a Hs Ha; [simpl; auto|]. simpl before.
    split; intros Da.
  - apply (dot_in n P (D s)); auto.
    + intros b Hb. apply (HD s); auto.
    + intros b Hb Db. rewrite likelihood_before, (proj1 (IH b ltac:(lia) Hb) Db). unfold corner.
      rewrite Db. simpl. ring.
  - apply (dot_in n P (D' s)); auto.
    + intros b Hb. apply (HD' s); auto.
    + intros b Hb Db. rewrite likelihood_before, (proj2 (IH b ltac:(lia) Hb) Db). unfold corner.
      destruct (D s b) eqn:E; [|ring]. rewrite (Hdis s b Hb E) in Db. discriminate.
Qed.

(** Two values that never meet: B_t(j,k) is at least e^(t eps), so that BPL_t grows by eps a step
    as under the strongest correlation. *)
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

(** A set C with weights u that keeps at least u/e^eps of them, and a set K that is never left. Is
    the value in C? Yes at all times: 1 on K; on C at least as much at every time as flows out of
    C. *)
Definition keeps (n : nat) (P : nat -> nat -> R) (e : R) (C : set) (u : nat -> R) : Prop :=
  (forall a, (a < n)%nat -> 0 <= u a /\ (C a = false -> u a = 0)) /\
  (forall b, (b < n)%nat -> C b = true -> u b <= e * back n P u b).

Lemma kept n P e C K u : stochastic n P -> 1 <= e -> closed n P K -> (forall a, (a < n)%nat ->
  C a = true -> K a = false) ->
  keeps n P e C u -> forall s,
  (forall a, (a < n)%nat -> 1 <= before n (fun _ => P) (fun _ => corner C e) s a /\
     (K a = true -> before n (fun _ => P) (fun _ => corner C e) s a = 1)) /\
  INR s * sum_on n (fun b => negb (C b)) (back n P u) <= dot n u (fun a => before n (fun _ =>
    P) (fun _ => corner C e) s a).
Proof.
  intros HP He HK Hdis [Hu Hkeep].
  assert (Hz : forall b, (b < n)%nat -> 0 <= back n P u b).
  { intros b Hb. apply sum_nonneg. intros a Ha. apply Rmult_le_pos; [apply HP; assumption|apply Hu;
    assumption]. }
  induction s as [|s [IH1 IH2]].
  - split; [intros a _; simpl; lra|]. simpl INR. rewrite Rmult_0_l. apply sum_nonneg. intros a Ha.
    simpl. rewrite Rmult_1_r.
    apply Hu. assumption.
  - set (f := fun a => before n (fun _ => P) (fun _ => corner C e) s a) in *.
    set (x := fun b => corner C e b * f b).
    assert (E : forall a, before n (fun _ => P) (fun _ => corner C e) (S s) a = dot n (P a) x).
    { intros a. simpl. apply dot_ext; [reflexivity|]. intros b _. apply likelihood_before. }
    assert (Hx : forall b, (b < n)%nat -> 1 <= x b /\ (C b = false -> x b = f b)).
    { intros b Hb. destruct (IH1 b Hb) as [I _]. fold (f b) in I. unfold x, corner.
      destruct (C b); split; try nra; try discriminate; intros _; ring. }
    split.
    + intros a Ha. rewrite E. split.
      * rewrite <- (dot_const n (P a) 1 (HP a Ha)). apply dot_le; [apply (HP a Ha)|]. intros b Hb.
        apply Hx. assumption.
      * intros Ka. apply (dot_in n P K); auto. intros b Hb Kb.
        destruct (C b) eqn:Cb; [rewrite (Hdis b Hb Cb) in Kb; discriminate|].
        rewrite (proj2 (Hx b Hb) Cb). apply IH1; assumption.
    + rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l.
      rewrite (dot_ext n u _ u (fun a => dot n (P a) x)) by auto.
      rewrite dot_back. eapply Rle_trans; [apply Rplus_le_compat_r; exact IH2|].
        unfold dot, sum_on. rewrite <- sum_plus.
      apply sum_le. intros b Hb. destruct (IH1 b Hb) as [I _]. fold (f b) in *.
        specialize (Hz b Hb). unfold x, corner.
      destruct (C b) eqn:Cb; simpl.
      * specialize (Hkeep b Hb Cb). replace (back n P u b * (e * f b))
        with (e * back n P u b * f b) by ring.
        rewrite Rplus_0_r. apply Rmult_le_compat_r; lra.
      * rewrite (proj2 (Hu b Hb) Cb). nra.
Qed.

Lemma multiple g v : 0 < g -> exists t, v < INR t * g.
Proof.
  intros Hg. exists (Z.to_nat (up (v / g))). destruct (archimed (v / g)) as [H _].
    rewrite INR_IZR_INZ.
  assert (IZR (up (v / g)) <= IZR (Z.of_nat (Z.to_nat (up (v / g))))) by (apply IZR_le; lia).
  apply Rle_lt_trans with (v / g * g); [right; field; lra|]. apply Rmult_lt_compat_r; lra.
Qed.

Lemma exp_power x t : exp x ^ t = exp (INR t * x).
Proof.
  induction t as [|t IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|]. simpl pow.
    rewrite IH, S_INR, <- exp_plus. f_equal. ring.
Qed.

(** So where something leaves C, some value of C is told from those of K by more than any v in the
    course of time. *)
Theorem unbounded_kept n P e C K u v : stochastic n P -> 1 <= e -> closed n P K ->
  (forall a, (a < n)%nat -> C a = true -> K a = false) -> keeps n P e C u ->
  0 < sum_on n (fun b => negb (C b)) (back n P u) ->
  exists t j, (j < n)%nat /\ C j = true /\ forall k, (k < n)%nat -> K k = true ->
  v * before n (fun _ => P) (fun _ => corner C e) t k <= before n (fun _ => P) (fun _ =>
    corner C e) t j.
Proof.
  intros HP He HK Hdis Hkeeps Hout. set (g := sum_on n (fun b => negb (C b)) (back n P u)) in *.
  destruct (multiple g (v * sum n u) Hout) as [t Ht].
  destruct (kept n P e C K u HP He HK Hdis Hkeeps t) as [H1 H2]. fold g in H2.
  destruct (sum_pos_term n (fun a => u a * (before n (fun _ => P) (fun _ => corner C e) t a - v)))
    as [j [Hj Hpos]].
  { rewrite (sum_ext n _ (fun a => u a * before n (fun _ => P) (fun _ => corner C e) t a - v * u
    a)) by (intros; ring).
    rewrite sum_minus, sum_scale. unfold dot in H2. lra. }
  destruct (proj1 Hkeeps j Hj) as [U0 UC]. exists t, j. split; [assumption|].
    destruct (C j) eqn:Cj.
  - split; [reflexivity|]. intros k Hk Kk. rewrite (proj2 (H1 k Hk) Kk). nra.
  - rewrite UC in Hpos by reflexivity. lra.
Qed.

(** ** The criterion, whole *)

(** Of a matrix A >= 0 either a vector h >= 0 with A h < h exists, or a w >= 0, not 0, with w <= w
    A: whether its spectral radius is below 1, by eliminating one index after the other. *)
Lemma alternative n (A : nat -> nat -> R) : (forall a b, (a < n)%nat -> (b < n)%nat -> 0 <= A a b)
  ->
  (exists h, forall a, (a < n)%nat -> 0 <= h a /\ dot n (A a) h < h a) \/
  (exists w, (forall a, (a < n)%nat -> 0 <= w a) /\ (exists a, (a < n)%nat /\ 0 < w a) /\
     forall b, (b < n)%nat -> w b <= sum n (fun a => w a * A a b)).
Proof.
  revert A. induction n as [|n IH]; intros A HA; [left; exists (fun _ => 1); intros; lia|].
  destruct (Rlt_dec (A n n) 1) as [Hd|Hd].
  - set (d := 1 - A n n). assert (D : 0 < d) by (unfold d; lra).
    assert (D' : 0 < / d) by (apply Rinv_0_lt_compat; assumption).
    set (A' := fun a b => A a b + A a n * A n b / d).
    destruct (IH A') as [[h Hh]|[w [Hw [[a0 [Ha0 Hpos]] Hkeep]]]].
    + intros a b Ha Hb. pose proof (HA a b ltac:(lia) ltac:(lia)).
      pose proof (HA a n ltac:(lia) ltac:(lia)).
      pose proof (HA n b ltac:(lia) ltac:(lia)). unfold A'.
      assert (0 <= A a n * A n b / d) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
    + left. set (s := dot n (A n) h). assert (Hs : 0 <= s).
      { apply dot_nonneg; [intros b Hb; apply HA; lia|intros b Hb; apply Hh; assumption]. }
      destruct (common_floor n (fun a => (h a - dot n (A' a) h) / (A a n + 1)) (fun _ => true))
        as [p [Hp Hall]].
      { intros a Ha _. destruct (Hh a Ha). pose proof (HA a n ltac:(lia) ltac:(lia)).
        apply Rdiv_lt_0_compat; lra. }
      assert (E : forall a, (a < n)%nat -> dot n (A' a) h = dot n (A a) h + A a n * s / d).
      { intros a Ha. unfold s, A'. unfold dot at 1 2.
        rewrite (sum_ext n _ (fun b => A a b * h b + A a n / d * (A n b * h b))) by (intros; field;
          lra).
        rewrite sum_plus, sum_scale. unfold dot. field. lra. }
      exists (fun b => if Nat.eqb b n then s / d + p else h b). intros a Ha.
      assert (Hdot : forall row, dot (S n) row (fun b => if Nat.eqb b n then s / d + p else h b) =
        dot n row h + row n * (s / d + p)).
      { intros row. unfold dot. simpl. rewrite Nat.eqb_refl. f_equal. apply sum_ext. intros b Hb.
        destruct (Nat.eqb_spec b n); [lia|reflexivity]. }
      rewrite Hdot. destruct (Nat.eqb_spec a n) as [->|Hne].
      * assert (0 <= s / d) by (apply Rmult_le_pos; lra). split; [lra|].
        assert (Es : s / d + p - (s + A n n * (s / d + p)) = p * d) by (unfold d; field;
          unfold d in D; lra).
        assert (0 < p * d) by (apply Rmult_lt_0_compat; lra). fold s. lra.
      * assert (Ha' : (a < n)%nat) by lia. split; [apply Hh; assumption|].
        specialize (Hall a Ha' eq_refl). pose proof (HA a n ltac:(lia) ltac:(lia)) as P0.
          destruct (Hh a Ha') as [_ H].
        rewrite E in H by assumption. assert (Hgap : p * (A a n + 1) <= h a - dot n (A' a) h).
        { apply Rmult_le_compat_r with (r := A a n + 1) in Hall; [|lra]. unfold Rdiv in Hall.
          rewrite Rmult_assoc, Rinv_l in Hall by lra. lra. }
        rewrite E in Hgap by assumption.
        replace (A a n * (s / d + p)) with (A a n * s / d + p * A a n) by (field; lra). lra.
    + right. set (v := sum n (fun a => w a * A a n) / d).
      assert (Hv : 0 <= v).
      { apply Rmult_le_pos; [|lra]. apply sum_nonneg. intros a Ha. apply Rmult_le_pos;
        [auto|apply HA; lia]. }
      exists (fun a => if Nat.eqb a n then v else w a).
      assert (Hsum : forall b, sum (S n) (fun a => (if Nat.eqb a n then v else w a) * A a b) = sum
        n (fun a => w a * A a b) + v * A n b).
      { intros b. simpl. rewrite Nat.eqb_refl. f_equal. apply sum_ext. intros a Ha.
        destruct (Nat.eqb_spec a n); [lia|reflexivity]. }
      split; [intros a Ha; destruct (Nat.eqb_spec a n); [assumption|apply Hw; lia]|]. split.
      * exists a0. split; [lia|]. destruct (Nat.eqb_spec a0 n); [lia|assumption].
      * intros b Hb. rewrite Hsum. destruct (Nat.eqb_spec b n) as [->|Hne].
        -- assert (Ev : v * d = sum n (fun a => w a * A a n)) by (unfold v; field; lra).
          rewrite <- Ev. unfold d. lra.
        -- specialize (Hkeep b ltac:(lia)). eapply Rle_trans; [exact Hkeep|]. right. unfold A', v.
           rewrite (sum_ext n _ (fun a => w a * A a b + A n b / d * (w a * A a n))) by (intros;
             field; lra).
           rewrite sum_plus, sum_scale. field. lra.
  - right. exists (fun a => if Nat.eqb a n then 1 else 0).
    assert (Hsum : forall b, sum (S n) (fun a => (if Nat.eqb a n then 1 else 0) * A a b) = A n b).
    { intros b. simpl. rewrite Nat.eqb_refl, (sum_ext n _ (fun _ => 0)), sum_zero; [ring|].
      intros a Ha.
      destruct (Nat.eqb_spec a n); [lia|ring]. }
    split; [intros a _; destruct (Nat.eqb a n); lra|]. split; [exists n; rewrite Nat.eqb_refl;
      split; [lia|lra]|].
    intros b Hb. rewrite Hsum. destruct (Nat.eqb_spec b n) as [->|]; [lra|]. apply HA; lia.
Qed.

(** Two values meet: some value can be reached from both in the same number of steps. *)
Definition meet (n : nat) (P : nat -> nat -> R) (j k : nat) : Prop :=
  exists s b, (b < n)%nat /\ 0 < power n P s j b /\ 0 < power n P s k b.

Lemma some_successor n P s a : stochastic n P -> (a < n)%nat -> exists b, (b < n)%nat /\
  0 < power n P s a b.
Proof. intros HP Ha. apply sum_pos_term. rewrite (proj2 (power_stochastic n P s HP a Ha)). lra.
  Qed.

(** Where all meet there is one value to which there is a way from all in the same number of steps.
    *)
Lemma all_meet n P : (0 < n)%nat -> stochastic n P -> (forall j k, (j < n)%nat -> (k < n)%nat ->
  meet n P j k) ->
  exists s b, (b < n)%nat /\ forall a, (a < n)%nat -> 0 < power n P s a b.
Proof.
  intros Hn HP H.
  assert (Hr : forall r, (r <= n)%nat -> exists s b, (b < n)%nat /\ forall a, (a < r)%nat ->
    0 < power n P s a b).
  { induction r as [|r IH]; intros Hr; [exists 0%nat, 0%nat; split; [assumption|intros; lia]|].
    destruct IH as [s [b [Hb IH]]]; [lia|]. destruct (some_successor n P s r HP ltac:(lia))
      as [c [Hc Hrc]].
    destruct (H b c Hb Hc) as [s' [b' [Hb' [H1 H2]]]]. exists (s + s')%nat, b'.
      split; [assumption|]. intros a Ha.
    destruct (Nat.eq_dec a r) as [->|].
    - apply (power_through n P s s' r c b'); auto; lia.
    - apply (power_through n P s s' a b b'); auto; [lia|]. apply IH. lia. }
  apply (Hr n (le_n n)).
Qed.

(** The values that can be reached from that one are (i). *)
Lemma closed_class n P s b : (b < n)%nat -> stochastic n P -> (forall a, (a < n)%nat ->
  0 < power n P s a b) ->
  exists K m, reached_from_everywhere n P K (S m).
Proof.
  intros Hb HP Hs.
  assert (Hlater : forall i a, (a < n)%nat -> 0 < power n P (i + s) a b).
  { intros i a Ha. destruct (some_successor n P i a HP Ha) as [c [Hc Hac]].
    apply (power_through n P i s a c b); auto. }
  assert (Hlong : exists L, forall c, (c < n)%nat -> (exists r, 0 < power n P r b c) ->
    0 < power n P (S L) b c).
  { assert (H : forall d, (d <= n)%nat -> exists L, forall c r, (c < d)%nat -> (L <= r)%nat ->
    (exists r, 0 < power n P r b c) -> 0 < power n P r b c).
    { induction d as [|d IH]; intros Hd; [exists 0%nat; intros; lia|]. destruct IH as [L IH];
      [lia|].
      destruct (Classical_Prop.classic (exists r, 0 < power n P r b d)) as [[r0 H0]|Hno].
      - exists (Nat.max L (s + r0)). intros c r Hc Hr H1. destruct (Nat.eq_dec c d) as [->|];
        [|apply IH; auto; lia].
        replace r with ((r - r0 - s + s) + r0)%nat by lia. apply (power_through n P _ r0 b b d);
          auto; lia.
      - exists L. intros c r Hc Hr H1. destruct (Nat.eq_dec c d) as [->|]; [contradiction|apply IH;
        auto; lia]. }
    destruct (H n (le_n n)) as [L HL]. exists L. intros c Hc H1. apply HL; auto. }
  destruct Hlong as [L HL]. exists (fun c => if Rlt_dec 0 (power n P (S L) b c) then true
    else false), (s + L)%nat.
  assert (HK : forall c, (if Rlt_dec 0 (power n P (S L) b c) then true else false) = true <->
    0 < power n P (S L) b c).
  { intros c. destruct (Rlt_dec 0 (power n P (S L) b c)); split; auto; discriminate. }
  split; [|split].
  - destruct (some_successor n P (S L) b HP Hb) as [c [Hc Hbc]]. exists c. split; [assumption|].
    apply HK. assumption.
  - intros c d Hc Hd Kc Kd. apply HK in Kc. destruct (Rlt_dec 0 (power n P (S L) b d)) as [|N];
    [discriminate|].
    pose proof (proj1 (HP c Hc) d Hd) as P0. destruct (Req_dec (P c d) 0) as [|Hne];
      [assumption|exfalso]. apply N, HL; [assumption|].
    exists (S L + 1)%nat. apply (power_through n P (S L) 1 b c d); auto.
      rewrite power_one by assumption. lra.
  - intros a c Ha Hc Kc. apply HK in Kc. rewrite <- Nat.add_succ_r.
    apply (power_through n P s (S L) a b c); auto.
Qed.

Lemma tells_more n P eps w t j k : stochastic n P -> 0 <= eps -> (j < n)%nat -> (k < n)%nat ->
  bounded_by n (fun _ => eps) w ->
  exists lambda, greatest_before n (fun _ => P) (fun _ => eps) t j k lambda /\
  before n (fun _ => P) w t j <= lambda * before n (fun _ => P) w t k.
Proof.
  intros HP He Hj Hk Hw.
  destruct (greatest_before_exists n (fun _ => P) (fun _ => eps) t j k (fun _ => HP) (fun _ =>
    He) Hj Hk) as [lambda [_ Hl]].
  exists lambda. split; [assumption|]. apply greatest_before_upper with (fun _ => eps); auto. lia.
Qed.

Lemma unbounded_unmet n P eps u j k : stochastic n P -> 0 < eps -> (j < n)%nat -> (k < n)%nat ->
  ~ meet n P j k ->
  ~ bounded_by_ratio n P eps u.
Proof.
  intros HP He Hj Hk Hno Hu. destruct (multiple eps u He) as [t Ht].
  set (D := fun i s a => if Rlt_dec 0 (power n P (t - s) i a) then true else false).
  assert (HD : forall i s a, D i s a = true <-> 0 < power n P (t - s) i a).
  { intros i s a. unfold D. destruct (Rlt_dec 0 (power n P (t - s) i a)); split; auto;
    discriminate. }
  assert (Hleads : forall i, (i < n)%nat -> leads n P (D i) t).
  { intros i Hi s a b Hs Ha Hb Da Db. apply HD in Da. pose proof (proj1 (HP a Ha) b Hb) as P0.
    destruct (Req_dec (P a b) 0) as [|Hne]; [assumption|exfalso].
    assert (D i s b = true); [|congruence]. apply HD. replace (t - s)%nat with ((t - S s) + 1)%nat
      by lia.
    apply (power_through n P _ 1 i a b); auto. rewrite power_one by assumption. lra. }
  assert (Hself : forall i, (i < n)%nat -> D i t i = true).
  { intros i Hi. apply HD. rewrite Nat.sub_diag. unfold power. simpl. rewrite Nat.eqb_refl. lra. }
  destruct (greatest_before_exists n (fun _ => P) (fun _ => eps) t j k (fun _ => HP) (fun _ =>
    Rlt_le _ _ He) Hj Hk) as [lambda [_ Hl]].
  specialize (Hu t j k lambda Hj Hk Hl).
  assert (H : exp eps ^ t <= lambda).
  { apply (unbounded_apart n P eps (D j) (D k) t j k lambda); auto; try lia; try lra.
    intros s a Ha Da. destruct (D k s a) eqn:E; [|reflexivity]. exfalso. apply Hno.
      exists (t - s)%nat, a.
    split; [assumption|]. split; apply HD; assumption. }
  rewrite exp_power in H. pose proof (exp_ineq1_le (INR t * eps)). lra.
Qed.

(** For eps > 0 the tight leakage is bounded for ever if and only if (i) and (ii) hold. *)
Theorem criterion n P eps : (0 < n)%nat -> stochastic n P -> 0 < eps ->
  ((exists u, bounded_by_ratio n P eps u) <->
   exists K m h, reached_from_everywhere n P K (S m) /\ lowered n P (exp eps) K h).
Proof.
  intros Hn HP He. pose proof (exp_pos eps) as HE. split.
  2:{ intros [K [m [h [HK Hh]]]]. apply (bounded_with_transient n P eps K m h); auto. lra. }
  intros [u Hu].
  destruct (all_meet n P Hn HP) as [s [b [Hb Hs]]].
  { intros j k Hj Hk. destruct (Classical_Prop.classic (meet n P j k)) as [|Hno];
    [assumption|exfalso].
    apply (unbounded_unmet n P eps u j k); assumption. }
  destruct (closed_class n P s b Hb HP Hs) as [K [m HK]]. exists K, m.
    pose proof HK as [[k [Hk Kk]] [Hclosed Hreach]].
  set (A := fun a c => if K a || K c then 0 else exp eps * P a c).
  assert (HA : forall a c, (a < n)%nat -> (c < n)%nat -> 0 <= A a c <= exp eps * P a c).
  { intros a c Ha Hc. pose proof (proj1 (HP a Ha) c Hc). unfold A. destruct (K a || K c); nra. }
  destruct (alternative n A) as [[h Hh]|[w [Hw [[a0 [Ha0 Hpos]] Hkeep]]]].
  - intros a c Ha Hc. apply HA; assumption.
  - exists h. split; [assumption|]. intros a Ha Ka. destruct (Hh a Ha) as [H0 H1].
    assert (E : dot n (A a) h = exp eps * sum_on n (fun c => negb (K c)) (fun c => P a c * h c)).
    { unfold dot, sum_on. rewrite <- sum_scale. apply sum_ext. intros c _. unfold A. rewrite Ka.
      destruct (K c); simpl; ring. }
    rewrite <- E. split; [|assumption]. eapply Rle_lt_trans; [|exact H1]. apply dot_nonneg;
      [intros c Hc; apply HA; assumption|].
    intros c Hc. apply Hh. assumption.
  - exfalso. set (C := fun a => if Rlt_dec 0 (w a) then true else false).
    assert (HC : forall a, (a < n)%nat -> (C a = true -> 0 < w a) /\ (C a = false -> w a = 0)).
    { intros a Ha. specialize (Hw a Ha). unfold C. destruct (Rlt_dec 0 (w a)); split; intros;
      try discriminate; lra. }
    assert (Hdis : forall a, (a < n)%nat -> C a = true -> K a = false).
    { intros a Ha Ca. destruct (K a) eqn:Ka; [|reflexivity]. apply HC in Ca; [|assumption].
      specialize (Hkeep a Ha).
      rewrite (sum_ext n _ (fun _ => 0)), sum_zero in Hkeep; [lra|]. intros c _. unfold A.
        rewrite Ka, orb_true_r. ring. }
    assert (Hkeeps : keeps n P (exp eps) C w).
    { split; [intros a Ha; split; [apply Hw|apply HC]; assumption|]. intros c Hc _.
      eapply Rle_trans; [apply Hkeep; assumption|].
      unfold back. rewrite <- sum_scale. apply sum_le. intros a Ha. destruct (HA a c Ha Hc).
        specialize (Hw a Ha). nra. }
    assert (Hback : forall c, (c < n)%nat -> 0 <= back n P w c).
    { intros c Hc. apply sum_nonneg. intros a Ha. apply Rmult_le_pos;
      [apply HP; assumption|auto]. }
    assert (Hout : 0 < sum_on n (fun c => negb (C c)) (back n P w)).
    { assert (H0 : 0 <= sum_on n (fun c => negb (C c)) (back n P w)) by (apply sum_on_nonneg;
      assumption).
      destruct H0 as [|H0]; [assumption|exfalso]. symmetry in H0.
      assert (HCc : closed n P C).
      { intros a c Ha Hc Ca Cc. apply (sum_zero_term n (fun c => if negb (C c) then back n P w c
        else 0) c) in H0; auto.
        - rewrite Cc in H0. simpl in H0. apply (sum_zero_term n (fun a => P a c * w a) a) in H0;
          auto.
          + apply Rmult_integral in H0. destruct H0 as [|H0]; [assumption|]. apply HC in Ca;
            [lra|assumption].
          + intros d Hd. apply Rmult_le_pos; [apply HP; assumption|auto].
        - intros d Hd. destruct (C d); simpl; [lra|auto]. }
      assert (Ca0 : C a0 = true) by (unfold C; destruct (Rlt_dec 0 (w a0));
        [reflexivity|contradiction]).
      specialize (Hreach a0 k Ha0 Hk Kk). unfold power in Hreach.
      rewrite (apply_power_closed n P C (S m) _ (fun _ => 0) HCc) in Hreach;
        [|intros d Hd Cd|assumption|assumption].
      - destruct (apply_power_linear n P (S m) (fun _ => 0) a0) as [E|[_ E]]; [|discriminate].
        rewrite E, (sum_ext n _ (fun _ => 0)), sum_zero in Hreach by (intros; ring). lra.
      - destruct (Nat.eqb_spec d k) as [->|]; [|reflexivity]. rewrite (Hdis k Hk Cd) in Kk.
        discriminate. }
    destruct (unbounded_kept n P (exp eps) C K w (u + 1) HP (exp_ratio eps (Rlt_le _ _ He)) Hclosed
      Hdis Hkeeps Hout)
      as [t [j [Hj [_ Htell]]]]. specialize (Htell k Hk Kk).
    destruct (tells_more n P eps (fun _ => corner C (exp eps)) t j k HP (Rlt_le _ _ He) Hj Hk
      (corner_bounded n (fun _ => eps) (fun _ => C) (fun _ => Rlt_le _ _ He)))
        as [lambda [Hl Hle]].
    specialize (Hu t j k lambda Hj Hk Hl).
    assert (Hg : 0 < before n (fun _ => P) (fun _ => corner C (exp eps)) t k).
    { apply before_positive; auto. intros r d _ _. unfold corner. destruct (C d); lra. }
    nra.
Qed.
