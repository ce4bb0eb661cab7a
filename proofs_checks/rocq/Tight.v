(** The tight leakage: the exact worst case over all mechanisms, of which the recursions are upper
    bounds.

    One sequence of outputs has likelihoods w t a = Pr(r^t | l^t = a, earlier outputs) with w t a
    <= e^(eps_t) * w t b, and only that. The sweep carries c back in time, c <- P^T (e^eps c^+ -
    c^-); what is left is the greatest c . f over all mechanisms, f(a) = Pr(r^0 .. r^t | l^t = a).
    *)

From TPL Require Export Chain.
From Coq Require Import Ranalysis Rsqrt_def.
Open Scope R_scope.

(** ** Definitions *)

(** Phi_eps(c) = e^eps c^+ - c^-, and P^T c. *)
Definition Phi (e : R) (c : nat -> R) : nat -> R := fun a => if Rlt_dec 0 (c a) then e * c a
  else c a.
Definition back (n : nat) (P : nat -> nat -> R) (c : nat -> R) : nat -> R := fun a =>
  sum n (fun b => P b a * c b).

(** W_t(c): the sweep from time t to time 0, with a matrix and a budget for each step. *)
Fixpoint sweep (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t : nat) (c : nat -> R) :
  R :=
  match t with
  | O => sum n (Phi (exp (eps 0%nat)) c)
  | S s => sweep n B eps s (back n (B s) (Phi (exp (eps (S s))) c))
  end.

(** P_j - lambda P_k. *)
Definition difference (P : nat -> nat -> R) (j k : nat) (lambda : R) : nat -> R := fun a =>
  P j a - lambda * P k a.

(** lambda is B_t(j,k): the zero of the sweep; and from the other end F_t(j,k), times reversed
    within 0 .. T. *)
Definition greatest_before (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t j k :
  nat) (lambda : R) : Prop :=
  match t with
  | O => lambda = 1
  | S s => sweep n B eps s (difference (B s) j k lambda) = 0
  end.
Definition turned {X : Type} (T : nat) (x : nat -> X) : nat -> X := fun s => x (T - s)%nat.
Definition greatest_after n (F : nat -> nat -> nat -> R) eps (T t j k : nat) (mu : R) : Prop :=
  greatest_before n (fun s => F (T - S s)%nat) (turned T eps) (T - t) j k mu.

(** The sets of the sweep: S_s = where c is above 0 at time s. *)
Fixpoint asked (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t : nat) (c : nat ->
  R) (s : nat) : set :=
  match t with
  | O => above_zero c
  | S p => if Nat.eqb s (S p) then above_zero c else asked n B eps p (back n (B p)
    (Phi (exp (eps (S p))) c)) s
  end.
Definition asked_before (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t j k :
  nat) (lambda : R) (s : nat) : set :=
  match t with
  | O => fun _ => false
  | S p => asked n B eps p (difference (B p) j k lambda) s
  end.

(** Randomized response: is the value in S_t? The true answer has odds e^(eps_t) against the false
    one. *)
Definition randomized_response (eps : nat -> R) (sets : nat -> set) (t a : nat) (answer : bool) :
  R :=
  (if Bool.eqb (sets t a) answer then exp (eps t) else 1) / (exp (eps t) + 1).

(** The sets that attain the TPL at time t: the sweep's before it, the value j at it, the sweep's
    after it. *)
Definition worst_sets n B F eps (T t j k : nat) (lambda mu : R) (s : nat) : set :=
  if Nat.ltb s t then asked_before n B eps t j k lambda s
  else if Nat.eqb s t then fun a => Nat.eqb a j
  else asked_before n (fun s => F (T - S s)%nat) (turned T eps) (T - t) j k mu (T - s).

(** ** The sweep is the maximum *)

Lemma Phi_above e c a : 1 <= e -> c a <= Phi e c a.
Proof. intros H. unfold Phi. destruct (Rlt_dec 0 (c a)); nra. Qed.

Lemma Phi_ext e c c' a : c a = c' a -> Phi e c a = Phi e c' a.
Proof. intros H. unfold Phi. rewrite H. reflexivity. Qed.

Lemma dot_back n P c x : dot n c (fun a => dot n (P a) x) = dot n (back n P c) x.
Proof.
  unfold dot, back.
  rewrite (sum_ext n _ (fun a => sum n (fun b => c a * P a b * x b))).
  - rewrite sum_swap. apply sum_ext. intros b _. rewrite sum_scale_r. f_equal. apply sum_ext.
    intros; ring.
  - intros a _. rewrite <- sum_scale. apply sum_ext. intros; ring.
Qed.

Lemma likelihood_nonneg n B w t a : (forall t, stochastic n (B t)) -> (forall s b, (b < n)%nat ->
  0 <= w s b) ->
  (a < n)%nat -> 0 <= likelihood n B w t a.
Proof.
  intros HB Hw. revert a. induction t as [|t IH]; intros a Ha; simpl; [auto|].
  apply Rmult_le_pos; [auto|]. apply dot_nonneg; [apply HB; assumption|exact IH].
Qed.

(** One matter of scale: on it the mechanisms of time t lie in [1, e^eps]. *)
Lemma Phi_bound n e w u : (0 < n)%nat -> (forall a b, (a < n)%nat -> (b < n)%nat -> 0 <= w a /\
  w a <= e * w b) ->
  (forall a, (a < n)%nat -> 0 <= u a) ->
  exists m, 0 <= m /\ forall c, dot n c (fun a => w a * u a) <= m * dot n (Phi e c) u.
Proof.
  intros Hn Hw Hu. destruct (least_entry n w Hn) as [k [Hk Hmin]]. exists (w k).
  split; [apply (Hw k k Hk Hk)|]. intros c. unfold dot. rewrite <- sum_scale. apply sum_le.
    intros a Ha.
  specialize (Hmin a Ha). destruct (Hw a k Ha Hk) as [W0 W]. specialize (Hu a Ha). unfold Phi.
  destruct (Rlt_dec 0 (c a)) as [Hc|Hc].
  - replace (w k * (e * c a * u a)) with (c a * u a * (e * w k)) by ring.
    replace (c a * (w a * u a)) with (c a * u a * w a) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption].
  - assert (c a * u a <= 0) by nra.
    replace (w k * (c a * u a)) with (c a * u a * w k) by ring.
    replace (c a * (w a * u a)) with (c a * u a * w a) by ring. nra.
Qed.

Lemma sweep_scaled n B eps w t : (0 < n)%nat -> (forall t, stochastic n (B t)) ->
  bounded_by n eps w ->
  exists m, 0 <= m /\ forall c, dot n c (likelihood n B w t) <= m * sweep n B eps t c.
Proof.
  intros Hn HB Hw.
  assert (Hw0 : forall s b, (b < n)%nat -> 0 <= w s b) by (intros s b Hb; apply (Hw s b b Hb Hb)).
  induction t as [|t [m [Hm IH]]]; simpl.
  - destruct (Phi_bound n (exp (eps 0%nat)) (w 0%nat) (fun _ => 1) Hn (Hw 0%nat)) as [m [Hm H]];
      [intros; lra|]. exists m. split; [assumption|]. intros c. specialize (H c).
    rewrite (dot_ext n c _ c (w 0%nat)) in H by (intros; ring). eapply Rle_trans; [exact H|].
    right. f_equal. unfold dot. apply sum_ext. intros; ring.
  - destruct (Phi_bound n (exp (eps (S t))) (w (S t)) (fun a => dot n (B t a) (likelihood n B w t))
    Hn
      (Hw (S t))) as [m' [Hm' H]].
    { intros a Ha. apply dot_nonneg; [apply HB; assumption|]. intros; apply likelihood_nonneg;
      auto. }
    exists (m' * m). split; [apply Rmult_le_pos; assumption|]. intros c.
    eapply Rle_trans; [apply H|]. rewrite dot_back, Rmult_assoc. apply Rmult_le_compat_l; auto.
Qed.

(** The sweep bounds every mechanism, at every scale. *)
Theorem sweep_bounds n B eps w t c : (0 < n)%nat -> (forall t, stochastic n (B t)) ->
  bounded_by n eps w ->
  sweep n B eps t c <= 0 -> dot n c (likelihood n B w t) <= 0.
Proof.
  intros Hn HB Hw H. destruct (sweep_scaled n B eps w t Hn HB Hw) as [m [Hm Hs]].
  specialize (Hs c). eapply Rle_trans; [exact Hs|]. nra.
Qed.

(** The sets of the sweep attain it. *)
Theorem sweep_attained n B eps t c :
  dot n c (likelihood n B (fun s => corner (asked n B eps t c s) (exp (eps s))) t) = sweep n B eps
    t c.
Proof.
  revert c. induction t as [|t IH]; intros c; simpl.
  - apply sum_ext. intros a _. unfold Phi, corner, above_zero. destruct (Rlt_dec 0 (c a)); ring.
  - rewrite Nat.eqb_refl.
    set (c' := back n (B t) (Phi (exp (eps (S t))) c)).
    rewrite (dot_ext n c _ c (fun a => corner (above_zero c) (exp (eps (S t))) a *
      dot n (B t a) (likelihood n B (fun s => corner (asked n B eps t c' s) (exp (eps s))) t)));
        [|reflexivity|].
    + transitivity (dot n (Phi (exp (eps (S t))) c)
        (fun a => dot n (B t a) (likelihood n B (fun s => corner (asked n B eps t c' s)
          (exp (eps s))) t))).
      * apply sum_ext. intros a _. unfold Phi, corner, above_zero. destruct (Rlt_dec 0 (c a));
        ring.
      * rewrite dot_back. fold c'. apply IH.
    + intros a Ha. f_equal. apply dot_ext; [reflexivity|]. intros b Hb. apply likelihood_ext; auto.
      intros s d Hs _. destruct (Nat.eqb_spec s (S t)); [lia|reflexivity].
Qed.

Lemma before_difference n B w s j k lambda :
  dot n (difference (B s) j k lambda) (likelihood n B w s) = before n B w (S s) j - lambda * before
    n B w (S s) k.
Proof.
  simpl. unfold dot, difference. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros; ring.
Qed.

(** Upper bounds of B_t(j,k) alone are enough for a certificate: lambda with W(lambda) <= 0. *)
Theorem greatest_before_rule n B eps w t j k lambda : (0 < n)%nat -> (forall t, stochastic n (B t))
  -> bounded_by n eps w ->
  match t with O => 1 <= lambda | S s => sweep n B eps s (difference (B s) j k lambda) <= 0 end ->
  before n B w t j <= lambda * before n B w t k.
Proof.
  intros Hn HB Hw H. destruct t as [|s].
  - simpl. lra.
  - pose proof (sweep_bounds n B eps w s _ Hn HB Hw H) as Hd. rewrite before_difference in Hd. lra.
Qed.

Lemma greatest_before_upper n B eps w t j k lambda : (0 < n)%nat -> (forall t, stochastic n (B t))
  -> bounded_by n eps w ->
  greatest_before n B eps t j k lambda -> before n B w t j <= lambda * before n B w t k.
Proof.
  intros Hn HB Hw H. apply greatest_before_rule with eps; auto. destruct t; simpl in *; lra.
Qed.

Lemma greatest_before_attained n B eps w t j k lambda : (forall t, stochastic n (B t)) ->
  greatest_before n B eps t j k lambda ->
  (forall s a, (s < t)%nat -> (a < n)%nat -> w s a = corner (asked_before n B eps t j k lambda s)
    (exp (eps s)) a) ->
  (j < n)%nat -> (k < n)%nat -> before n B w t j = lambda * before n B w t k.
Proof.
  intros HB H Hw Hj Hk. destruct t as [|s]; simpl in H.
  - subst lambda. simpl. ring.
  - assert (E : dot n (difference (B s) j k lambda) (likelihood n B w s) = 0).
    { rewrite <- H, <- sweep_attained. apply dot_ext; [reflexivity|]. intros a Ha.
      apply likelihood_ext; auto.
      intros r b Hr Hb. rewrite Hw by (auto; lia). reflexivity. }
    rewrite before_difference in E. lra.
Qed.

Lemma before_positive n B w t a : (forall t, stochastic n (B t)) ->
  (forall s b, (s < t)%nat -> (b < n)%nat -> 0 < w s b) -> (a < n)%nat -> 0 < before n B w t a.
Proof.
  intros HB Hw Ha. destruct t as [|t]; simpl; [lra|].
  apply dot_pos; [apply HB; assumption|]. assert (H : forall s b, (s <= t)%nat -> (b < n)%nat ->
    0 < likelihood n B w s b).
  { induction s as [|s IH]; intros b Hs Hb; simpl; [apply Hw; auto; lia|].
    apply Rmult_lt_0_compat; [apply Hw; auto; lia|]. apply dot_pos; [apply HB; assumption|].
      intros; apply IH; auto; lia. }
  intros; apply H; auto.
Qed.

(** ** The future is the past with time turned round *)

Lemma future_turned n c w T k a : (k <= T)%nat ->
  future n c w (T - k) k a = before n (fun s => forward c (T - S s)%nat) (turned T w) k a.
Proof.
  revert a. induction k as [|k IH]; intros a Hk; [reflexivity|]. simpl future. simpl before.
  apply dot_ext; [reflexivity|]. intros b _. replace (S (T - S k)) with (T - k)%nat by lia.
  rewrite IH by lia. rewrite likelihood_before. reflexivity.
Qed.

Lemma future_from n c w T t a : (t <= T)%nat ->
  future n c w t (T - t) a = before n (fun s => forward c (T - S s)%nat) (turned T w) (T - t) a.
Proof.
  intros H. pose proof (future_turned n c w T (T - t) a ltac:(lia)) as E.
  replace (T - (T - t))%nat with t in E by lia. exact E.
Qed.

Lemma turned_bounded n eps w T : bounded_by n eps w -> bounded_by n (turned T eps) (turned T w).
Proof. intros H t a b Ha Hb. apply H; assumption. Qed.

(** ** Exactly: no mechanism leaks more, and randomized response leaks as much *)

Lemma randomized_response_probabilities eps sets t a :
  0 <= randomized_response eps sets t a true /\ 0 <= randomized_response eps sets t a false /\
  randomized_response eps sets t a true + randomized_response eps sets t a false = 1.
Proof.
  pose proof (exp_pos (eps t)). unfold randomized_response.
  assert (0 < / (exp (eps t) + 1)) by (apply Rinv_0_lt_compat; lra).
  destruct (sets t a); simpl; repeat split; try (apply Rmult_le_pos; lra); field; lra.
Qed.

Lemma randomized_response_private n eps sets : (forall t, 0 <= eps t) ->
  private n eps (randomized_response eps sets).
Proof.
  intros He t a b o Ha Hb. pose proof (exp_ratio (eps t) (He t)) as H. unfold randomized_response.
  assert (Hi : 0 < / (exp (eps t) + 1)) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. split.
  - destruct (Bool.eqb (sets t a) o); apply Rmult_le_pos; lra.
  - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
    destruct (Bool.eqb (sets t a) o), (Bool.eqb (sets t b) o); nra.
Qed.

(** The answer yes has, on the scale 1 / (e^eps + 1), the likelihoods of a corner. *)
Lemma before_scaled n B w v t m a : (forall s, m s <> 0) ->
  (forall s b, (s < t)%nat -> (b < n)%nat -> w s b = v s b * m s) ->
  (a < n)%nat -> exists x, x <> 0 /\ forall b, (b < n)%nat -> before n B w t b = x * before n B v t
    b.
Proof.
  intros Hm H _. destruct t as [|t]; [exists 1; split; [lra|intros; simpl; ring]|].
  assert (HL : forall s, (s <= t)%nat -> exists x, x <> 0 /\ forall b, (b < n)%nat ->
    likelihood n B w s b = x * likelihood n B v s b).
  { induction s as [|s IH]; intros Hs.
    - exists (m 0%nat). split; [auto|]. intros b Hb. simpl. rewrite H by (auto; lia). ring.
    - destruct IH as [x [Hx IH]]; [lia|]. exists (x * m (S s)). split.
      + apply Rmult_integral_contrapositive_currified; auto.
      + intros b Hb. simpl. rewrite H by (auto; lia).
        rewrite (dot_ext n (B s b) _ (B s b) (fun a => x * likelihood n B v s a)) by (auto).
          rewrite dot_scale. ring. }
  destruct (HL t (le_n t)) as [x [Hx Hl]]. exists x. split; [assumption|]. intros b Hb. simpl.
  rewrite (dot_ext n (B t b) _ (B t b) (fun a => x * likelihood n B v t a)) by auto.
    apply dot_scale.
Qed.

(** Section 8, TPL: for two values j, k that are possible at time t no mechanism tells them apart
    by more than e^(eps_t) B_t(j,k) F_t(j,k), *)
Theorem tight_TPL_bounds {O : Type} n c B eps T (M : nat -> nat -> O -> R) t j k lambda mu r :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M -> (t <= T)%nat ->
    (j < n)%nat -> (k < n)%nat ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) ->
  greatest_before n B eps t j k lambda -> greatest_after n (forward c) eps T t j k mu ->
  conditional n c T (outputs M r 0 T) (value t j)
  <= exp (eps t) * lambda * mu * conditional n c T (outputs M r 0 T) (value t k).
Proof.
  intros Hc HB He HM Ht Hj Hk Pj Pk Hl Hm.
  assert (Hn : (0 < n)%nat) by lia.
  pose proof (outputs_bounded n eps M r 0 T He HM) as Hw. set (w := outputs M r 0 T) in *.
  rewrite !(given_value n c T B), !likelihood_before by assumption.
  destruct (before_bound n B eps w t j j (proj1 HB) He Hw Hj Hj) as [X0 _].
  destruct (future_bound n c eps w t (T - t) j j Hc He Hw Hj Hj) as [Y0 _].
  destruct (Hw t j k Hj Hk) as [W0 W].
  pose proof (greatest_before_upper n B eps w t j k lambda Hn (proj1 HB) Hw Hl) as X.
  assert (Y : future n c w t (T - t) j <= mu * future n c w t (T - t) k).
  { rewrite !future_from by lia.
    apply greatest_before_upper with (turned T eps); auto using turned_bounded.
    intros s. apply Hc. }
  replace (exp (eps t) * lambda * mu * (w t k * before n B w t k * future n c w t (T - t) k))
    with (exp (eps t) * w t k * (lambda * before n B w t k) * (mu * future n c w t (T - t) k))
      by ring.
  apply Rmult_le_compat; auto; [apply Rmult_le_pos; assumption|]. apply Rmult_le_compat;
    assumption.
Qed.

(** and one sequence of randomized responses, to which the answer is always yes, tells them apart
    by just that much: both sides are attained at once. *)
Theorem tight_TPL_attained n c B eps T t j k lambda mu :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> (t <= T)%nat -> (j < n)%nat ->
    (k < n)%nat -> j <> k ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) ->
  greatest_before n B eps t j k lambda -> greatest_after n (forward c) eps T t j k mu ->
  let M := randomized_response eps (worst_sets n B (forward c) eps T t j k lambda mu) in
  private n eps M /\
  conditional n c T (outputs M (fun _ => true) 0 T) (value t j)
  = exp (eps t) * lambda * mu * conditional n c T (outputs M (fun _ => true) 0 T) (value t k) /\
  0 < conditional n c T (outputs M (fun _ => true) 0 T) (value t k).
Proof.
  intros Hc HB He Ht Hj Hk Hjk Pj Pk Hl Hm M. split; [apply randomized_response_private;
    assumption|].
  set (sets := worst_sets n B (forward c) eps T t j k lambda mu) in *.
  set (w := outputs M (fun _ => true) 0 T). set (m := fun s => / (exp (eps s) + 1)).
  assert (Hmpos : forall s, 0 < m s).
  { intros s. unfold m. apply Rinv_0_lt_compat. pose proof (exp_pos (eps s)). lra. }
  assert (Hw : forall s a, (s <= T)%nat -> w s a = corner (sets s) (exp (eps s)) a * m s).
  { intros s a Hs. unfold w, outputs. destruct (Nat.leb_spec s T); [|lia]. simpl.
    unfold M, randomized_response, corner.
    destruct (sets s a); simpl; reflexivity. }
  assert (Hwpos : forall s a, (s <= T)%nat -> 0 < w s a).
  { intros s a Hs. rewrite Hw by assumption. apply Rmult_lt_0_compat; [|apply Hmpos].
    unfold corner. pose proof (exp_pos (eps s)). destruct (sets s a); lra. }
  rewrite !(given_value n c T B), !likelihood_before by assumption.
  assert (Ew : w t j = exp (eps t) * w t k).
  { rewrite !Hw by assumption. unfold sets, worst_sets, corner. rewrite Nat.ltb_irrefl,
    Nat.eqb_refl, Nat.eqb_refl.
    destruct (Nat.eqb_spec k j); [congruence|ring]. }
  assert (Ex : before n B w t j = lambda * before n B w t k).
  { set (v := fun s => corner (asked_before n B eps t j k lambda s) (exp (eps s))).
    destruct (before_scaled n B w v t m j) as [x [Hx H]]; auto.
    - intros s. pose proof (Hmpos s). lra.
    - intros s b Hs _. rewrite Hw by lia. unfold v, sets, worst_sets. destruct (Nat.ltb_spec s t);
      [reflexivity|lia].
    - rewrite !H by assumption.
      rewrite (greatest_before_attained n B eps v t j k lambda (proj1 HB) Hl) by auto. ring. }
  set (F' := fun s => forward c (T - S s)%nat).
  assert (HF' : forall s, stochastic n (F' s)) by (intros s; apply Hc).
  assert (Ef : forall a, future n c w t (T - t) a = before n F' (turned T w) (T - t) a).
  { intros a. apply future_from. assumption. }
  assert (Ey : future n c w t (T - t) j = mu * future n c w t (T - t) k).
  { rewrite !Ef. set (v := fun s => corner (asked_before n F' (turned T eps) (T - t) j k mu s)
    (exp (turned T eps s))).
    destruct (before_scaled n F' (turned T w) v (T - t) (turned T m) j) as [x [Hx H]]; auto.
    - intros s. pose proof (Hmpos (T - s)%nat). unfold turned. lra.
    - intros s b Hs _. unfold turned at 1. rewrite Hw by lia. unfold v, sets, worst_sets,
      turned at 4.
      destruct (Nat.ltb_spec (T - s) t); [lia|]. destruct (Nat.eqb_spec (T - s) t); [lia|].
      replace (T - (T - s))%nat with s by lia. reflexivity.
    - rewrite !H by assumption.
      rewrite (greatest_before_attained n F' (turned T eps) v (T - t) j k mu HF' Hm) by auto.
        ring. }
  split.
  - rewrite Ew, Ex, Ey. ring.
  - apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply Hwpos; assumption|]|].
    + apply before_positive; auto; [apply HB|]. intros; apply Hwpos; lia.
    + rewrite Ef. apply before_positive; auto. intros s b Hs Hb. apply Hwpos. lia.
Qed.

(** BPL is the case of no later release, FPL that of no earlier one, lambda or mu being 1. *)
Theorem tight_BPL {O : Type} n c B eps (M : nat -> nat -> O -> R) t j k lambda r :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M -> (j < n)%nat ->
    (k < n)%nat -> j <> k ->
  0 < probability n c t (value t j) -> 0 < probability n c t (value t k) -> greatest_before n B eps
    t j k lambda ->
  conditional n c t (outputs M r 0 t) (value t j)
    <= exp (eps t) * lambda * conditional n c t (outputs M r 0 t) (value t k) /\
  exists sets, let worst := outputs (randomized_response eps sets) (fun _ => true) 0 t in
    conditional n c t worst (value t j) = exp (eps t) * lambda * conditional n c t worst
      (value t k) /\
    0 < conditional n c t worst (value t k).
Proof.
  intros Hc HB He HM Hj Hk Hjk Pj Pk Hl.
  assert (Hm : greatest_after n (forward c) eps t t j k 1).
  { unfold greatest_after. rewrite Nat.sub_diag. reflexivity. }
  split.
  - rewrite <- (Rmult_1_r (exp (eps t) * lambda)). apply tight_TPL_bounds with B; auto.
  - destruct (tight_TPL_attained n c B eps t t j k lambda 1) as [_ [H1 H2]]; auto.
    eexists. rewrite <- (Rmult_1_r (exp (eps t) * lambda)). split; eassumption.
Qed.

(** ** The zero of the sweep exists, and is unique *)

Lemma continuity_same f g : (forall x, f x = g x) -> continuity f -> continuity g.
Proof.
  intros H Hf x d Hd. destruct (Hf x d Hd) as [e [He Hc]]. exists e. split; [assumption|].
  intros y Hy. simpl in *. rewrite <- !H. apply Hc. assumption.
Qed.

Lemma continuity_sum n (f : nat -> R -> R) : (forall a, continuity (f a)) -> continuity (fun x =>
  sum n (fun a => f a x)).
Proof.
  intros H. induction n as [|n IH]; simpl.
  - apply continuity_const. intros x y. reflexivity.
  - apply (continuity_plus (fun x => sum n (fun a => f a x)) (f n)); auto.
Qed.

Lemma continuity_Phi e (f : nat -> R -> R) : (forall a, continuity (f a)) -> forall a,
  continuity (fun x => Phi e (fun b => f b x) a).
Proof.
  intros H a. apply (continuity_same (fun x => f a x + (e - 1) * ((f a x + Rabs (f a x)) * / 2))).
  - intros x. unfold Phi. destruct (Rlt_dec 0 (f a x)).
    + rewrite Rabs_right by lra. field.
    + rewrite Rabs_left1 by lra. field.
  - apply (continuity_plus (f a) (fun x => (e - 1) * ((f a x + Rabs (f a x)) * / 2))); auto.
    apply (continuity_scal (fun x => (f a x + Rabs (f a x)) * / 2)).
    apply (continuity_mult (fun x => f a x + Rabs (f a x)) (fun _ => / 2)).
    + apply (continuity_plus (f a) (fun x => Rabs (f a x))); auto.
      apply (continuity_comp (f a) Rabs); auto. apply Rcontinuity_abs.
    + apply continuity_const. intros x y. reflexivity.
Qed.

Lemma continuity_sweep n B eps t (f : nat -> R -> R) : (forall a, continuity (f a)) ->
  continuity (fun x => sweep n B eps t (fun a => f a x)).
Proof.
  revert f. induction t as [|t IH]; intros f H; simpl.
  - apply (continuity_sum n (fun a x => Phi (exp (eps 0%nat)) (fun b => f b x) a)). intros a.
    apply continuity_Phi. assumption.
  - apply (IH (fun a x => back n (B t) (Phi (exp (eps (S t))) (fun b => f b x)) a)). intros a.
    unfold back.
    apply (continuity_sum n (fun b x => B t b a * Phi (exp (eps (S t))) (fun b => f b x) b)).
      intros b.
    apply (continuity_scal (fun x => Phi (exp (eps (S t))) (fun b => f b x) b)).
      apply continuity_Phi. assumption.
Qed.

Lemma corner_bounded n eps sets : (forall t, 0 <= eps t) -> bounded_by n eps (fun s =>
  corner (sets s) (exp (eps s))).
Proof.
  intros He t a b _ _. pose proof (exp_ratio (eps t) (He t)). unfold corner.
  destruct (sets t a), (sets t b); nra.
Qed.

Lemma sweep_at_one n B eps t c : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t) ->
  sum n c = 0 -> 0 <= sweep n B eps t c.
Proof.
  intros HB He. enough (H : forall c, sum n c <= sweep n B eps t c) by (intros E; rewrite <- E;
    apply H).
  clear c. induction t as [|t IH]; intros c; simpl.
  - apply sum_le. intros a _. apply Phi_above. apply exp_ratio. apply He.
  - eapply Rle_trans; [|apply IH]. unfold back. rewrite sum_swap. apply sum_le. intros a Ha.
    rewrite sum_scale_r. rewrite (proj2 (HB t a Ha)), Rmult_1_l. apply Phi_above. apply exp_ratio.
      apply He.
Qed.

Theorem greatest_before_exists n B eps t j k : (forall t, stochastic n (B t)) ->
  (forall t, 0 <= eps t) ->
  (j < n)%nat -> (k < n)%nat ->
  exists lambda, 1 <= lambda <= exp (BPL n B eps t - eps t) /\ greatest_before n B eps t j k
    lambda.
Proof.
  intros HB He Hj Hk. destruct t as [|s].
  - exists 1. simpl. rewrite Rminus_diag_eq, exp_0 by reflexivity. split; [lra|reflexivity].
  - set (f := fun x => sweep n B eps s (difference (B s) j k x)).
    set (top := exp (BPL n B eps (S s) - eps (S s))).
    assert (Htop : 1 <= top).
    { unfold top. apply exp_ratio. simpl.
      pose proof (remark_1 n (B s) _ (HB s) (BPL_nonneg n B eps s HB He)). lra. }
    assert (H1 : 0 <= f 1).
    { apply sweep_at_one; auto. unfold difference. rewrite sum_minus, sum_scale.
      rewrite (proj2 (HB s j Hj)), (proj2 (HB s k Hk)). ring. }
    assert (H2 : f top <= 0).
    { unfold f. rewrite <- sweep_attained, before_difference.
      destruct (before_bound n B eps (fun r => corner (asked n B eps s (difference (B s) j k top)
        r) (exp (eps r)))
        (S s) j k HB He (corner_bounded n eps _ He) Hj Hk) as [_ H]. fold top in H. lra. }
    assert (Hcont : continuity f).
    { apply continuity_sweep. intros a. unfold difference.
      apply (continuity_minus (fun _ => B s j a) (fun x => x * B s k a)).
      - apply continuity_const. intros x y. reflexivity.
      - apply (continuity_mult (fun x => x) (fun _ => B s k a)).
        + apply derivable_continuous. apply derivable_id.
        + apply continuity_const. intros x y. reflexivity. }
    destruct (IVT_cor f 1 top Hcont Htop) as [z [Hz Ez]]; [nra|]. exists z.
      split; [exact Hz|exact Ez].
Qed.

Theorem greatest_before_unique n B eps t j k lambda lambda' : (forall t, stochastic n (B t)) ->
  (forall t, 0 <= eps t) ->
  (j < n)%nat -> (k < n)%nat ->
  greatest_before n B eps t j k lambda -> greatest_before n B eps t j k lambda' ->
    lambda = lambda'.
Proof.
  intros HB He Hj Hk. assert (Hn : (0 < n)%nat) by lia.
  assert (H : forall x y, greatest_before n B eps t j k x -> greatest_before n B eps t j k y ->
    x <= y).
  { intros x y Hx Hy. set (w := fun s => corner (asked_before n B eps t j k x s) (exp (eps s))).
    pose proof (greatest_before_attained n B eps w t j k x HB Hx ltac:(reflexivity) Hj Hk) as E.
    pose proof (greatest_before_upper n B eps w t j k y Hn HB (corner_bounded n eps _ He) Hy) as U.
    assert (0 < before n B w t k).
    { apply before_positive; auto. intros s b _ _. unfold w, corner. pose proof (exp_pos (eps s)).
      destruct (asked_before n B eps t j k x s b); lra. }
    apply Rmult_le_reg_r with (before n B w t k); lra. }
  intros Hx Hy. apply Rle_antisym; auto.
Qed.

(** The recursion is attained for t <= 2, that is at the times 0 and 1. *)
Lemma attained_at_one n c B eps : (2 <= n)%nat -> valid n c -> bayes n c B ->
  (forall t, 0 <= eps t) ->
  (forall a, (a < n)%nat -> 0 < probability n c 1 (value 1 a)) ->
  exists j k sets, (j < n)%nat /\ (k < n)%nat /\
  let worst := outputs (randomized_response eps sets) (fun _ => true) 0 1 in
  conditional n c 1 worst (value 1 j) = exp (BPL n B eps 1) * conditional n c 1 worst (value 1 k)
    /\
  0 < conditional n c 1 worst (value 1 k).
Proof.
  intros Hn Hc HB He Hp. set (A := exp (eps 0%nat)). pose proof (exp_ratio _ (He 0%nat)) as HA.
    fold A in HA.
  assert (Hpair : exists j k, (j < n)%nat /\ (k < n)%nat /\ j <> k /\ gain n (B 0%nat) A = optimum
    n (B 0%nat j) (B 0%nat k) A).
  { destruct (gain_attained n (B 0%nat) A ltac:(lia)) as [j [k [S [Hj [Hk E]]]]].
    destruct (Nat.eq_dec j k) as [->|Hjk].
    - assert (G1 : gain n (B 0%nat) A = 1).
      { rewrite E. unfold piece_of, piece.
        pose proof (piece_denominator n (B 0%nat k) S A (proj1 HB 0%nat k Hk) HA). field. lra. }
      exists 0%nat, 1%nat. repeat split; try lia. apply Rle_antisym; [|apply gain_pair; lia].
      rewrite G1, <- (piece_of_nobody n (B 0%nat 0%nat) (B 0%nat 1%nat) A). apply optimum_upper.
    - exists j, k. repeat split; auto. apply Rle_antisym;
      [rewrite E; apply optimum_upper|apply gain_pair; auto]. }
  destruct Hpair as [j [k [Hj [Hk [Hjk Hg]]]]]. exists j, k.
  destruct (tight_BPL n c B eps (fun _ _ (_ : unit) => 0) 1 j k (gain n (B 0%nat) A) (fun _ => tt))
    as [_ [sets [H1 H2]]]; auto.
  - intros t a b o _ _. lra.
  - simpl. rewrite Hg. set (v := optimum n (B 0%nat j) (B 0%nat k) A).
    pose proof (proj2 (optimum_equation n (B 0%nat j) (B 0%nat k) A v (proj1 HB 0%nat j Hj)
      (proj1 HB 0%nat k Hk) HA)
      eq_refl) as Ev.
    fold A. transitivity (sum n (difference (B 0%nat) j k v) +
      (A - 1) * sum n (fun a => positive_part (difference (B 0%nat) j k v a))).
    + rewrite <- sum_scale, <- sum_plus. apply sum_ext. intros a _. unfold Phi, positive_part,
      Rmax.
      destruct (Rlt_dec 0 (difference (B 0%nat) j k v a)),
        (Rle_dec 0 (difference (B 0%nat) j k v a)); nra.
    + unfold difference at 1. rewrite sum_minus, sum_scale.
      rewrite (proj2 (proj1 HB 0%nat j Hj)), (proj2 (proj1 HB 0%nat k Hk)). unfold difference.
        rewrite Ev. ring.
  - exists sets. repeat split; auto.
    + replace (exp (BPL n B eps 1)) with (exp (eps 1%nat) * gain n (B 0%nat) A); [exact H1|].
      simpl. rewrite exp_plus, exp_loss. unfold A. ring.
Qed.

Theorem attained_at_two n c B eps t : (2 <= n)%nat -> valid n c -> bayes n c B ->
  (forall t, 0 <= eps t) -> (t <= 1)%nat ->
  (forall a, (a < n)%nat -> 0 < probability n c t (value t a)) ->
  exists j k sets, (j < n)%nat /\ (k < n)%nat /\
  let worst := outputs (randomized_response eps sets) (fun _ => true) 0 t in
  conditional n c t worst (value t j) = exp (BPL n B eps t) * conditional n c t worst (value t k)
    /\
  0 < conditional n c t worst (value t k).
Proof.
  intros Hn Hc HB He Ht Hp. destruct t as [|t]; [|replace t with 0%nat in * by lia;
    apply attained_at_one; assumption].
  exists 0%nat, 1%nat.
  destruct (tight_BPL n c B eps (fun _ _ (_ : unit) => 0) 0 0 1 1 (fun _ => tt))
    as [_ [sets [H1 H2]]]; auto; try lia; try (apply Hp; lia).
  - intros t a b o _ _. lra.
  - reflexivity.
  - exists sets. rewrite Rmult_1_r in H1. repeat split; auto; lia.
Qed.

(** ** Certificates: rounding upward is sound; for ever *)

Lemma Phi_rises e c c' a : 0 < e -> 1 <= e -> c a <= c' a -> Phi e c a <= Phi e c' a.
Proof. intros He H1 H. unfold Phi. destruct (Rlt_dec 0 (c a)), (Rlt_dec 0 (c' a)); nra. Qed.

Lemma back_rises n P c c' a : stochastic n P -> (a < n)%nat -> (forall b, (b < n)%nat ->
  c b <= c' b) -> back n P c a <= back n P c' a.
Proof. intros HP Ha H. apply sum_le. intros b Hb. apply Rmult_le_compat_l;
  [apply HP; assumption|auto]. Qed.

Theorem sweep_rises n B eps t c c' : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t) ->
  (forall a, (a < n)%nat -> c a <= c' a) -> sweep n B eps t c <= sweep n B eps t c'.
Proof.
  intros HB He. revert c c'. induction t as [|t IH]; intros c c' H; simpl.
  - apply sum_le. intros a Ha. apply Phi_rises; auto using exp_pos, exp_ratio.
  - apply IH. intros a Ha. apply back_rises; auto. intros b Hb. apply Phi_rises;
    auto using exp_pos, exp_ratio.
Qed.

(** A sweep rounded upward at every step, c_t first and c_0 last, with ratios e_s at or above
    e^(eps_s): where it ends at most 0, so does the exact one. *)
Theorem rounded_sweep n B eps t c up e : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t)
  ->
  (forall s, exp (eps s) <= e s) -> (forall a, (a < n)%nat -> c a <= up t a) ->
  (forall s a, (s < t)%nat -> (a < n)%nat -> back n (B s) (Phi (e (S s)) (up (S s))) a <= up s a)
    ->
  sweep n B eps t c <= sum n (Phi (e 0%nat) (up 0%nat)).
Proof.
  intros HB He Hup. assert (HPhi : forall s c a, Phi (exp (eps s)) c a <= Phi (e s) c a).
  { intros s c' a. specialize (Hup s). unfold Phi. destruct (Rlt_dec 0 (c' a)); nra. }
  revert c. induction t as [|t IH]; intros c Hc Hs; simpl.
  - apply sum_le. intros a Ha. eapply Rle_trans; [|apply HPhi]. apply Phi_rises;
    auto using exp_pos, exp_ratio.
  - apply IH; auto. intros a Ha. eapply Rle_trans; [|apply Hs; auto]. apply back_rises; auto.
    intros b Hb. eapply Rle_trans; [|apply HPhi]. apply Phi_rises; auto using exp_pos, exp_ratio.
Qed.

(** One matrix P and one budget eps at all times: a step of the sweep, and its s-fold repetition.
    *)
Definition step (n : nat) (P : nat -> nat -> R) (e : R) (c : nat -> R) : nat -> R :=
  back n P (Phi e c).
Fixpoint steps (n : nat) (P : nat -> nat -> R) (e : R) (s : nat) (c : nat -> R) : nat -> R :=
  match s with
  | O => c
  | S r => step n P e (steps n P e r c)
  end.

Lemma step_rises n P e c c' : stochastic n P -> 1 <= e -> (forall a, (a < n)%nat -> c a <= c' a) ->
  forall a, (a < n)%nat -> step n P e c a <= step n P e c' a.
Proof. intros HP He H a Ha. apply back_rises; auto. intros b Hb. apply Phi_rises; auto; lra. Qed.

Lemma step_scaled n P e x c a : 0 <= x -> step n P e (fun b => x * c b) a = x * step n P e c a.
Proof.
  intros Hx. unfold step, back. rewrite <- sum_scale. apply sum_ext. intros b _. unfold Phi.
  destruct (Rlt_dec 0 (x * c b)), (Rlt_dec 0 (c b)); try ring; [nra|].
  destruct (Req_dec x 0) as [->|]; [ring|]. assert (0 < x * c b) by (apply Rmult_lt_0_compat; lra).
    contradiction.
Qed.

Lemma steps_scaled n P e d x c a : 0 <= x -> steps n P e d (fun b => x * c b) a = x * steps n P e d
  c a.
Proof.
  intros Hx. revert a. induction d as [|d IH]; intros a; simpl; [reflexivity|].
    rewrite <- step_scaled by assumption.
  unfold step, back. apply sum_ext. intros b _. f_equal. apply Phi_ext. apply IH.
Qed.

Lemma steps_add n P e s r c a : steps n P e (s + r) c a = steps n P e s (steps n P e r c) a.
Proof. revert a. induction s as [|s IH]; intros a; simpl; [reflexivity|]. unfold step, back.
  apply sum_ext. intros b _. unfold Phi. rewrite !IH. reflexivity. Qed.

Lemma steps_rise n P e s c c' : stochastic n P -> 1 <= e -> (forall a, (a < n)%nat -> c a <= c' a)
  ->
  forall a, (a < n)%nat -> steps n P e s c a <= steps n P e s c' a.
Proof. intros HP He H. induction s as [|s IH]; simpl; [assumption|]. apply step_rises; auto. Qed.

Lemma steps_swap n P e s c a : steps n P e s (step n P e c) a = step n P e (steps n P e s c) a.
Proof. revert a. induction s as [|s IH]; intros a; simpl; [reflexivity|]. unfold step at 1 3, back.
  apply sum_ext. intros b _. unfold Phi. rewrite !IH. reflexivity. Qed.

Lemma sweep_ext n B eps t c c' : (forall a, (a < n)%nat -> c a = c' a) -> sweep n B eps t c = sweep
  n B eps t c'.
Proof.
  revert c c'. induction t as [|t IH]; intros c c' H; simpl.
  - apply sum_ext. intros a Ha. unfold Phi. rewrite H by assumption. reflexivity.
  - apply IH. intros a _. apply sum_ext. intros b Hb. unfold Phi. rewrite H by assumption.
    reflexivity.
Qed.

Lemma sweep_steps n P eps t c : sweep n (fun _ => P) (fun _ => eps) t c = sum n (Phi (exp eps)
  (steps n P (exp eps) t c)).
Proof.
  revert c. induction t as [|t IH]; intros c; simpl; [reflexivity|].
  rewrite IH. apply sum_ext. intros a _. apply Phi_ext. apply steps_swap.
Qed.

(** W does not fall as the horizon grows. *)
Lemma sweep_longer n P eps t c : stochastic n P -> 0 <= eps ->
  sweep n (fun _ => P) (fun _ => eps) t c <= sweep n (fun _ => P) (fun _ => eps) (S t) c.
Proof.
  intros HP He. rewrite !sweep_steps. simpl. set (x := steps n P (exp eps) t c).
  apply Rle_trans with (sum n (step n P (exp eps) x)).
  - unfold step, back. rewrite sum_swap. right. apply sum_ext. intros a Ha. rewrite sum_scale_r,
    (proj2 (HP a Ha)). ring.
  - apply sum_le. intros a _. apply Phi_above. apply exp_ratio. assumption.
Qed.

(** For ever: lambda with s, h, theta < 1 and d >= 1 such that after s steps c <= h, and d steps
    take h to at most theta h. Then lambda bounds B_T(j,k) for all T. *)
Theorem for_ever n P eps c s h theta d : stochastic n P -> 0 <= eps -> 0 <= theta < 1 ->
  (1 <= d)%nat ->
  (forall a, (a < n)%nat -> steps n P (exp eps) s c a <= h a) ->
  (forall a, (a < n)%nat -> steps n P (exp eps) d h a <= theta * h a) ->
  forall t, sweep n (fun _ => P) (fun _ => eps) t c <= 0.
Proof.
  intros HP He Hth Hd Hs Hh t. pose proof (exp_ratio eps He) as HE. set (e := exp eps) in *.
  assert (Hk : forall k a, (a < n)%nat -> steps n P e (k * d) h a <= theta ^ k * h a).
  { induction k as [|k IH]; intros a Ha; [simpl; lra|]. simpl Nat.mul. rewrite steps_add.
    eapply Rle_trans; [apply (steps_rise n P e d _ (fun b => theta ^ k * h b)); auto|].
    rewrite steps_scaled by (apply pow_le; lra).
    replace (theta ^ S k * h a) with (theta ^ k * (theta * h a)) by (simpl; ring).
    apply Rmult_le_compat_l; [apply pow_le; lra|auto]. }
  set (H := sum n (Phi e h)).
  assert (Hbound : forall k, sweep n (fun _ => P) (fun _ => eps) (k * d + s) c <= theta ^ k * H).
  { intros k. rewrite sweep_steps. fold e. unfold H. rewrite <- sum_scale. apply sum_le.
    intros a Ha.
    assert (Hle : steps n P e (k * d + s) c a <= theta ^ k * h a).
    { rewrite steps_add. eapply Rle_trans; [apply steps_rise; eauto|]. apply Hk. assumption. }
    assert (Hp : 0 <= theta ^ k) by (apply pow_le; lra). unfold Phi.
      set (x := steps n P e (k * d + s) c a) in *.
    assert (e * x <= e * (theta ^ k * h a)) by (apply Rmult_le_compat_l; lra).
    destruct (Rlt_dec 0 x), (Rlt_dec 0 (h a)); try lra.
    - exfalso. assert (0 <= theta ^ k * - h a) by (apply Rmult_le_pos; lra). lra.
    - assert (0 <= theta ^ k * (e * h a)); [|lra]. apply Rmult_le_pos; [assumption|].
      apply Rmult_le_pos; lra. }
  assert (Hlong : forall k, sweep n (fun _ => P) (fun _ => eps) t c <= sweep n (fun _ =>
    P) (fun _ => eps) (k + t) c).
  { induction k as [|k IH]; simpl plus; [lra|]. eapply Rle_trans; [exact IH|]. apply sweep_longer;
    auto. }
  destruct (Rle_dec (sweep n (fun _ => P) (fun _ => eps) t c) 0) as [?|N]; [assumption|exfalso].
  set (W := sweep n (fun _ => P) (fun _ => eps) t c) in *.
  assert (Hall : forall k, W <= theta ^ (k + t) * H).
  { intros k. pose proof (Hbound (k + t)%nat) as H2. pose proof (Hlong ((k + t) * d + s - t)%nat)
    as H1.
    assert (t <= (k + t) * d)%nat by nia. replace ((k + t) * d + s - t + t)%nat
      with ((k + t) * d + s)%nat in H1 by lia. lra. }
  assert (HH : 0 < Rabs H + 1) by (pose proof (Rabs_pos H); lra).
  destruct (pow_lt_1_zero theta ltac:(rewrite Rabs_right; lra) (W / (Rabs H + 1))) as [N0 HN].
  { apply Rdiv_lt_0_compat; lra. }
  specialize (HN (N0 + t)%nat ltac:(lia)). specialize (Hall N0).
  rewrite Rabs_right in HN by (apply Rle_ge, pow_le; lra).
  apply Rmult_lt_compat_r with (r := Rabs H + 1) in HN; [|lra].
  unfold Rdiv in HN. rewrite Rmult_assoc, Rinv_l in HN by lra.
  pose proof (Rle_abs H). assert (0 <= theta ^ (N0 + t)) by (apply pow_le; lra). nra.
Qed.
