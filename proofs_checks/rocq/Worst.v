(** The greatest leakage over all mechanisms, as it is defined, is the greatest eps_t + log
    B_t(j,k) + log F_t(j,k) over pairs of values; and it is bounded over an infinite horizon if and
    only if the criterion holds. *)

From TPL Require Export Criterion.
Open Scope R_scope.

(** ** Definitions *)

(** x is the logarithm of a ratio in the definition of BPL, FPL or TPL at time t, for some private
    mechanisms. [def:tpl] *)
Definition leaked (n : nat) (c : chain) (T : nat) (eps : nat -> R) (t from to : nat) (x : R) :
  Prop :=
  exists (O : Type) (M : nat -> nat -> O -> R) r j k, private n eps M /\ (j < n)%nat /\
    (k < n)%nat /\
  0 < probability n c T (value t j) /\ 0 < probability n c T (value t k) /\
  let Pr := fun a => conditional n c T (outputs M r from to) (value t a) in 0 < Pr k /\
    x = ln (Pr j / Pr k).

(** With the releases before time t, and after it, or without them. *)
Definition first_time (past : bool) (t : nat) : nat := if past then 0%nat else t.
Definition last_time (future : bool) (T t : nat) : nat := if future then T else t.
Definition told (seen : bool) n (B : nat -> nat -> nat -> R) eps t j k (lambda : R) : Prop :=
  if seen then greatest_before n B eps t j k lambda else lambda = 1.
Definition pair_leakage (past future : bool) n c B eps T t j k (x : R) : Prop :=
  (j < n)%nat /\ (k < n)%nat /\ j <> k /\ 0 < probability n c T (value t j) /\
    0 < probability n c T (value t k) /\
  exists lambda mu, told past n B eps t j k lambda /\
  told future n (fun s => forward c (T - S s)%nat) (turned T eps) (T - t) j k mu /\
    x = eps t + ln lambda + ln mu.

(** (i) and (ii) of the criterion. *)
Definition settles (n : nat) (P : nat -> nat -> R) (eps : R) : Prop :=
  exists K m h, reached_from_everywhere n P K (S m) /\ lowered n P (exp eps) K h.

(** ** One side of time t *)

Lemma before_nothing n B w t a : (forall t, stochastic n (B t)) -> (a < n)%nat ->
  (forall s b, (s < t)%nat -> w s b = 1) -> before n B w t a = 1.
Proof.
  intros HB Ha Hw. destruct t as [|t]; [reflexivity|]. simpl.
    rewrite (dot_ext n _ _ (B t a) (fun _ => 1)).
  - apply dot_const. apply HB. assumption.
  - reflexivity.
  - intros b Hb. rewrite likelihood_first; auto.
Qed.

Lemma told_exists seen n B eps t j k : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t) ->
  (j < n)%nat -> (k < n)%nat ->
  exists lambda, told seen n B eps t j k lambda.
Proof.
  intros HB He Hj Hk. destruct seen; [|exists 1; reflexivity].
  destruct (greatest_before_exists n B eps t j k HB He Hj Hk) as [x [_ H]]. exists x. exact H.
Qed.

Lemma told_least seen n B eps t j k lambda : (forall t, stochastic n (B t)) ->
  (forall t, 0 <= eps t) -> (j < n)%nat -> (k < n)%nat ->
  told seen n B eps t j k lambda -> 1 <= lambda.
Proof.
  intros HB He Hj Hk H. destruct seen; [|simpl in H; lra].
  destruct (greatest_before_exists n B eps t j k HB He Hj Hk) as [x [Hx E]].
  rewrite (greatest_before_unique n B eps t j k lambda x HB He Hj Hk H E). lra.
Qed.

Lemma told_bounds seen n B eps w t j k lambda : (forall t, stochastic n (B t)) ->
  bounded_by n eps w -> (j < n)%nat -> (k < n)%nat ->
  told seen n B eps t j k lambda -> (seen = false -> forall s b, (s < t)%nat -> w s b = 1) ->
  before n B w t j <= lambda * before n B w t k.
Proof.
  intros HB Hw Hj Hk H Hunseen. destruct seen.
  - apply greatest_before_upper with eps; auto. lia.
  - simpl in H. rewrite !before_nothing by auto. lra.
Qed.

Lemma told_attained seen n B eps w m t j k lambda : (forall t, stochastic n (B t)) ->
  (j < n)%nat -> (k < n)%nat ->
  told seen n B eps t j k lambda -> (forall s, 0 < m s) -> (seen = false -> forall s b,
    (s < t)%nat -> w s b = 1) ->
  (seen = true -> forall s b, (s < t)%nat -> w s b = corner (asked_before n B eps t j k lambda s)
    (exp (eps s)) b * m s) ->
  before n B w t j = lambda * before n B w t k /\ 0 < before n B w t k.
Proof.
  intros HB Hj Hk H Hm Hunseen Hseen. destruct seen; simpl in H.
  - set (v := fun s => corner (asked_before n B eps t j k lambda s) (exp (eps s))).
    destruct (before_scaled n B w v t m j (fun s => Rgt_not_eq _ _ (Hm s)) (fun s b Hs _ =>
      Hseen eq_refl s b Hs) Hj)
      as [x [_ E]]. split.
    + rewrite !E by assumption. rewrite (greatest_before_attained n B eps v t j k lambda HB H)
      by auto. ring.
    + apply before_positive; auto. intros s b Hs _. rewrite Hseen by auto. apply Rmult_lt_0_compat;
      [|apply Hm].
      unfold corner. pose proof (exp_pos (eps s)).
        destruct (asked_before n B eps t j k lambda s b); lra.
  - rewrite !before_nothing by auto. lra.
Qed.

(** ** Both sides *)

Lemma leak_sound {O : Type} n c B e T (M : nat -> nat -> O -> R) t from to v lambda mu j k r :
  valid n c -> bayes n c B -> (forall s, 0 <= e s) -> private n e M -> (t <= T)%nat ->
    (from <= t <= to)%nat ->
  (j < n)%nat -> (k < n)%nat -> 0 < probability n c T (value t j) -> 0 < probability n c T
    (value t k) ->
  1 <= lambda -> 1 <= mu -> exp (e t) * (lambda * mu) <= exp v ->
  before n B (outputs M r from to) t j <= lambda * before n B (outputs M r from to) t k ->
  future n c (outputs M r from to) t (T - t) j <= mu * future n c (outputs M r from to) t (T - t) k
    ->
  conditional n c T (outputs M r from to) (value t j) <= exp v * conditional n c T
    (outputs M r from to) (value t k).
Proof.
  intros Hc HB He HM Ht Hft Hj Hk Pj Pk Hl Hmu Hv X Y.
  pose proof (outputs_bounded n e M r from to He HM) as Hw. set (w := outputs M r from to) in *.
  rewrite !(given_value n c T B), !likelihood_before by assumption.
  destruct (before_bound n B e w t j k (proj1 HB) He Hw Hj Hk) as [X0 _].
  destruct (before_bound n B e w t k k (proj1 HB) He Hw Hk Hk) as [X1 _].
  destruct (future_bound n c e w t (T - t) j k Hc He Hw Hj Hk) as [Y0 _].
  destruct (future_bound n c e w t (T - t) k k Hc He Hw Hk Hk) as [Y1 _].
  destruct (Hw t j k Hj Hk) as [W0 W]. destruct (Hw t k k Hk Hk) as [W1 _].
    pose proof (exp_pos (e t)).
  apply Rle_trans with (exp (e t) * w t k * (lambda * before n B w t k) * (mu * future n c w t
    (T - t) k)).
  - apply Rmult_le_compat; auto; [apply Rmult_le_pos; assumption|]. apply Rmult_le_compat;
    assumption.
  - replace (exp (e t) * w t k * (lambda * before n B w t k) * (mu * future n c w t (T - t) k))
      with (exp (e t) * (lambda * mu) * (w t k * before n B w t k * future n c w t (T - t) k))
        by ring.
    apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [apply Rmult_le_pos|]; assumption.
Qed.

Lemma exp_pair e lambda mu : 0 < lambda -> 0 < mu -> exp (e + ln lambda + ln mu) = exp e *
  (lambda * mu).
Proof. intros Hl Hm. rewrite !exp_plus, !exp_ln by assumption. ring. Qed.

(** What the two sides tell, and anything above it, bounds the leakage of a pair. *)
Lemma told_sound {O : Type} past future n c B eps T (M : nat -> nat -> O -> R) t j k lambda mu v r
  :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M -> (t <= T)%nat ->
    (j < n)%nat -> (k < n)%nat ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) -> told past n B eps t j k
    lambda ->
  told future n (fun s => forward c (T - S s)%nat) (turned T eps) (T - t) j k mu ->
    exp (eps t) * (lambda * mu) <= exp v ->
  let w := outputs M r (first_time past t) (last_time future T t) in
  conditional n c T w (value t j) <= exp v * conditional n c T w (value t k).
Proof.
  intros Hc HB He HM Ht Hj Hk Pj Pk Hl Hm Hv w.
  assert (HF : forall s, stochastic n (forward c (T - S s)%nat)) by (intros; apply Hc).
  pose proof (told_least past n B eps t j k lambda (proj1 HB) He Hj Hk Hl) as L1.
  pose proof (told_least future n _ (turned T eps) (T - t) j k mu HF (fun s => He (T - s)%nat) Hj
    Hk Hm) as M1.
  assert (Hft : (first_time past t <= t <= last_time future T t)%nat) by (destruct past, future;
    simpl; lia).
  pose proof (outputs_bounded n eps M r (first_time past t) (last_time future T t) He HM) as Hw.
    fold w in Hw.
  apply (leak_sound n c B eps T M t _ _ _ lambda mu); auto.
  - apply told_bounds with past eps; auto; [apply HB|]. intros -> s b Hs. unfold w, outputs. simpl.
    destruct (Nat.leb_spec t s); [lia|reflexivity].
  - rewrite !future_from by assumption. apply told_bounds with future (turned T eps); auto.
    + apply turned_bounded. assumption.
    + intros -> s b Hs. unfold turned, w, outputs. simpl. destruct (Nat.leb_spec (T - s) t);
      [lia|].
      rewrite andb_false_r. reflexivity.
Qed.

Lemma pair_bounds {O : Type} past future n c B eps T (M : nat -> nat -> O -> R) t j k x r :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M -> (t <= T)%nat ->
  pair_leakage past future n c B eps T t j k x ->
  let w := outputs M r (first_time past t) (last_time future T t) in
  conditional n c T w (value t j) <= exp x * conditional n c T w (value t k).
Proof.
  intros Hc HB He HM Ht [Hj [Hk [_ [Pj [Pk [lambda [mu [Hl [Hm ->]]]]]]]]].
  apply (told_sound past future n c B eps T M t j k lambda mu); auto.
  pose proof (told_least past n B eps t j k lambda (proj1 HB) He Hj Hk Hl).
  pose proof (told_least future n _ (turned T eps) (T - t) j k mu (fun s => proj2 Hc (T - S s)%nat)
    (fun s => He (T - s)%nat) Hj Hk Hm).
  rewrite exp_pair by lra. lra.
Qed.

Lemma pair_attained past future n c B eps T t j k x :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> (t <= T)%nat -> pair_leakage past future n
    c B eps T t j k x ->
  exists sets, private n eps (randomized_response eps sets) /\
  let w := outputs (randomized_response eps sets) (fun _ => true) (first_time past t)
    (last_time future T t) in
  conditional n c T w (value t j) = exp x * conditional n c T w (value t k) /\
    0 < conditional n c T w (value t k).
Proof.
  intros Hc HB He Ht [Hj [Hk [Hjk [Pj [Pk [lambda [mu [Hl [Hm ->]]]]]]]]].
  assert (HF : forall s, stochastic n (forward c (T - S s)%nat)) by (intros; apply Hc).
  pose proof (told_least past n B eps t j k lambda (proj1 HB) He Hj Hk Hl) as L1.
  pose proof (told_least future n _ (turned T eps) (T - t) j k mu HF (fun s => He (T - s)%nat) Hj
    Hk Hm) as M1.
  set (sets := worst_sets n B (forward c) eps T t j k lambda mu). exists sets.
  split; [apply randomized_response_private; assumption|].
  set (from := first_time past t). set (to := last_time future T t). intros w.
    set (m := fun s => / (exp (eps s) + 1)).
  assert (Hmpos : forall s, 0 < m s) by (intros s; apply Rinv_0_lt_compat;
    pose proof (exp_pos (eps s)); lra).
  assert (Hw : forall s a, (from <= s <= to)%nat -> w s a = corner (sets s) (exp (eps s)) a * m s).
  { intros s a Hs. unfold w, outputs. destruct (Nat.leb_spec from s), (Nat.leb_spec s to); try lia.
    simpl.
    unfold randomized_response, corner. destruct (sets s a); simpl; reflexivity. }
  assert (Hft : (from <= t <= to)%nat) by (unfold from, to; destruct past, future; simpl; lia).
  rewrite !(given_value n c T B), !likelihood_before, !future_from by assumption.
  destruct (told_attained past n B eps w m t j k lambda (proj1 HB) Hj Hk Hl Hmpos) as [X X0].
  { intros E s b Hs. unfold w, outputs, from. rewrite E. simpl. destruct (Nat.leb_spec t s);
    [lia|reflexivity]. }
  { intros E s b Hs. rewrite Hw by (unfold from; rewrite E; simpl; lia). unfold sets, worst_sets.
    destruct (Nat.ltb_spec s t); [reflexivity|lia]. }
  destruct (told_attained future n (fun s => forward c (T - S s)%nat) (turned T eps) (turned T w)
    (turned T m) (T - t) j k mu HF Hj Hk Hm)
    as [Y Y0].
  { intros s. apply Hmpos. }
  { intros E s b Hs. unfold turned, w, outputs, to. rewrite E. simpl.
    destruct (Nat.leb_spec (T - s) t); [lia|].
    rewrite andb_false_r. reflexivity. }
  { intros E s b Hs. unfold turned at 1. rewrite Hw by (unfold to; rewrite E; simpl; lia).
    unfold sets, worst_sets, turned at 4.
    destruct (Nat.ltb_spec (T - s) t); [lia|]. destruct (Nat.eqb_spec (T - s) t); [lia|].
    replace (T - (T - s))%nat with s by lia. reflexivity. }
  assert (Ew : w t j = exp (eps t) * w t k /\ 0 < w t k).
  { rewrite !Hw by assumption. unfold sets, worst_sets, corner. rewrite Nat.ltb_irrefl,
    !Nat.eqb_refl.
    destruct (Nat.eqb_spec k j); [congruence|]. split; [ring|]. rewrite Rmult_1_l. apply Hmpos. }
  destruct Ew as [Ew Ew0]. split.
  - rewrite exp_pair by lra. rewrite Ew, X, Y. ring.
  - apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
Qed.

(** ** The greatest leakage *)

Lemma greatest_of m (X : nat -> R -> Prop) : (exists i x, (i < m)%nat /\ X i x) ->
  (forall i, (i < m)%nat -> (exists x, X i x) -> exists x, X i x /\ forall y, X i y -> y <= x) ->
  exists i x, (i < m)%nat /\ X i x /\ forall j y, (j < m)%nat -> X j y -> y <= x.
Proof.
  induction m as [|m IH]; intros [i [x [Hi H]]] Hone; [lia|].
  destruct (Classical_Prop.classic (exists i x, (i < m)%nat /\ X i x)) as [Hbelow|Hno].
  - destruct (IH Hbelow) as [i1 [x1 [Hi1 [H1 Hmax]]]]; [auto|].
    destruct (Classical_Prop.classic (exists x, X m x)) as [Hm|Hm].
    + destruct (Hone m (le_n _) Hm) as [x2 [H2 Hmax2]]. destruct (Rle_dec x1 x2) as [L|L].
      * exists m, x2. repeat split; auto. intros j y Hj Hy. destruct (Nat.eq_dec j m) as [->|];
        [auto|].
        specialize (Hmax j y ltac:(lia) Hy). lra.
      * exists i1, x1. repeat split; auto. intros j y Hj Hy. destruct (Nat.eq_dec j m) as [->|].
        -- specialize (Hmax2 y Hy). lra.
        -- apply (Hmax j); auto. lia.
    + exists i1, x1. repeat split; auto. intros j y Hj Hy. destruct (Nat.eq_dec j m) as [->|];
      [exfalso; eauto|].
      apply (Hmax j); auto. lia.
  - assert (E : i = m). { destruct (Nat.eq_dec i m); [assumption|]. exfalso. apply Hno.
    exists i, x. split; [lia|assumption]. }
    subst i. destruct (Hone m (le_n _) ltac:(eauto)) as [x2 [H2 Hmax2]]. exists m, x2.
      repeat split; auto. intros j y Hj Hy.
    destruct (Nat.eq_dec j m) as [->|]; [auto|]. exfalso. apply Hno. exists j, y.
      split; [lia|assumption].
Qed.

Lemma greatest_leakage past future n c B eps T t : valid n c -> bayes n c B ->
  (forall t, 0 <= eps t) -> (t <= T)%nat ->
  (exists j k, (j < n)%nat /\ (k < n)%nat /\ j <> k /\ 0 < probability n c T (value t j) /\
    0 < probability n c T (value t k)) ->
  exists x, (exists j k, pair_leakage past future n c B eps T t j k x) /\
  (forall j k y, pair_leakage past future n c B eps T t j k y -> y <= x) /\
  is_lub (leaked n c T eps t (first_time past t) (last_time future T t)) x.
Proof.
  intros Hc HB He Ht [j0 [k0 [Hj0 [Hk0 [Hjk0 [Pj0 Pk0]]]]]].
  assert (HF : forall s, stochastic n (forward c (T - S s)%nat)) by (intros; apply Hc).
  assert (Hex : forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> 0 < probability n c T
    (value t j) ->
    0 < probability n c T (value t k) -> exists x, pair_leakage past future n c B eps T t j k x).
  { intros j k Hj Hk Hjk Pj Pk. destruct (told_exists past n B eps t j k (proj1 HB) He Hj Hk)
    as [lambda Hl].
    destruct (told_exists future n _ (turned T eps) (T - t) j k HF (fun s => He (T - s)%nat) Hj Hk)
      as [mu Hm].
    exists (eps t + ln lambda + ln mu). repeat split; auto. exists lambda, mu. auto. }
  assert (Huniq : forall j k x y, pair_leakage past future n c B eps T t j k x ->
    pair_leakage past future n c B eps T t j k y -> y <= x).
  { intros j k x y Hx Hy.
    destruct (pair_attained past future n c B eps T t j k y Hc HB He Ht Hy) as [sets [HM [E E0]]].
    pose proof (pair_bounds past future n c B eps T _ t j k x (fun _ => true) Hc HB He HM Ht Hx)
      as H. cbv zeta in H.
    rewrite E in H. apply exp_le_inv. apply Rmult_le_reg_r with (1 := E0). exact H. }
  assert (Hnonneg : forall j k x, pair_leakage past future n c B eps T t j k x -> 0 <= x).
  { intros j k x [Hj [Hk [_ [_ [_ [lambda [mu [Hl [Hm ->]]]]]]]]].
    pose proof (told_least past n B eps t j k lambda (proj1 HB) He Hj Hk Hl) as L1.
    pose proof (told_least future n _ (turned T eps) (T - t) j k mu HF (fun s => He (T - s)%nat) Hj
      Hk Hm) as M1.
    pose proof (He t). apply exp_le_inv. rewrite exp_pair, exp_0 by lra.
      pose proof (exp_ratio _ H).
    assert (1 <= lambda * mu) by nra. nra. }
  destruct (greatest_of n (fun j x => exists k, pair_leakage past future n c B eps T t j k x))
    as [j [x [Hj [[k Hx] Hmax]]]].
  { destruct (Hex j0 k0) as [x Hx]; auto. exists j0, x. split; [assumption|]. exists k0.
    assumption. }
  { intros j Hj [x [k Hx]].
    destruct (greatest_of n (fun k x => pair_leakage past future n c B eps T t j k x))
      as [k1 [x1 [Hk1 [H1 Hmax]]]].
    - exists k, x. split; [apply Hx|assumption].
    - intros k' _ [y Hy]. exists y. split; [assumption|]. intros z Hz. apply (Huniq j k');
      assumption.
    - exists x1. split; [exists k1; assumption|]. intros y [k' Hy]. apply (Hmax k');
      [apply Hy|assumption]. }
  exists x. split; [exists j, k; assumption|].
  assert (Hall : forall j k y, pair_leakage past future n c B eps T t j k y -> y <= x).
  { intros j' k' y Hy. apply (Hmax j'); [apply Hy|]. exists k'. assumption. }
  split; [assumption|]. split.
  - intros y [O [M [r [j' [k' [HM [Hj' [Hk' [Pj [Pk [H0 ->]]]]]]]]]]]. cbv beta in *.
    destruct (Nat.eq_dec j' k') as [->|Hne].
    + unfold Rdiv. rewrite Rinv_r, ln_1 by lra. apply (Hnonneg j k). assumption.
    + destruct (Hex j' k') as [y Hy]; auto. apply Rle_trans with y; [|apply (Hall j' k');
      assumption].
      destruct (Hex k' j') as [z Hz]; auto.
      pose proof (pair_bounds past future n c B eps T M t j' k' y r Hc HB He HM Ht Hy) as U.
        cbv zeta in U.
      pose proof (pair_bounds past future n c B eps T M t k' j' z r Hc HB He HM Ht Hz) as V.
        cbv zeta in V.
      set (a := conditional n c T (outputs M r (first_time past t) (last_time future T t))
        (value t j')) in *.
      set (b := conditional n c T (outputs M r (first_time past t) (last_time future T t))
        (value t k')) in *.
      assert (0 < a).
      { pose proof (exp_pos z). destruct (Rlt_dec 0 a) as [|N]; [assumption|exfalso]. nra. }
      apply exp_le_inv. rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption).
      apply Rmult_le_reg_r with (1 := H0). unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - intros u Hu. apply Hu. destruct (pair_attained past future n c B eps T t j k x Hc HB He Ht Hx)
    as [sets [HM [E E0]]].
    destruct Hx as [Hj' [Hk' [_ [Pj [Pk _]]]]].
    exists bool, (randomized_response eps sets), (fun _ => true), j, k.
    refine (conj HM (conj Hj' (conj Hk' (conj Pj (conj Pk (conj E0 _)))))). cbv zeta in E.
      rewrite E. unfold Rdiv. rewrite Rmult_assoc, Rinv_r, Rmult_1_r, ln_exp by lra. reflexivity.
Qed.

(** The greatest TPL_t, BPL_t and FPL_t, as they are defined, over all private mechanisms: the
    greatest over pairs of values that are possible at t of eps_t + log B_t(j,k) + log F_t(j,k), of
    eps_t + log B_t(j,k), of eps_t + log F_t(j,k). *)
Theorem greatest_TPL n c B eps T t : valid n c -> bayes n c B -> (forall t, 0 <= eps t) ->
  (t <= T)%nat ->
  (exists j k, (j < n)%nat /\ (k < n)%nat /\ j <> k /\ 0 < probability n c T (value t j) /\
    0 < probability n c T (value t k)) ->
  exists x, (exists j k, pair_leakage true true n c B eps T t j k x) /\
  (forall j k y, pair_leakage true true n c B eps T t j k y -> y <= x) /\
    is_lub (leaked n c T eps t 0 T) x.
Proof. apply greatest_leakage. Qed.

Theorem greatest_BPL n c B eps T t : valid n c -> bayes n c B -> (forall t, 0 <= eps t) ->
  (t <= T)%nat ->
  (exists j k, (j < n)%nat /\ (k < n)%nat /\ j <> k /\ 0 < probability n c T (value t j) /\
    0 < probability n c T (value t k)) ->
  exists x, (exists j k, pair_leakage true false n c B eps T t j k x) /\
  (forall j k y, pair_leakage true false n c B eps T t j k y -> y <= x) /\
    is_lub (leaked n c T eps t 0 t) x.
Proof. apply greatest_leakage. Qed.

Theorem greatest_FPL n c B eps T t : valid n c -> bayes n c B -> (forall t, 0 <= eps t) ->
  (t <= T)%nat ->
  (exists j k, (j < n)%nat /\ (k < n)%nat /\ j <> k /\ 0 < probability n c T (value t j) /\
    0 < probability n c T (value t k)) ->
  exists x, (exists j k, pair_leakage false true n c B eps T t j k x) /\
  (forall j k y, pair_leakage false true n c B eps T t j k y -> y <= x) /\
    is_lub (leaked n c T eps t t T) x.
Proof. apply greatest_leakage. Qed.

(** ** Over an infinite horizon *)

Lemma told_same n B eps t j lambda : (forall t, stochastic n (B t)) -> (j < n)%nat ->
  greatest_before n B eps t j j lambda -> lambda = 1.
Proof.
  intros HB Hj H. destruct (told_attained true n B eps
    (fun s => corner (asked_before n B eps t j j lambda s) (exp (eps s))) (fun _ => 1) t j j
      lambda) as [E E0]; auto.
  - intros; lra.
  - intros; discriminate.
  - intros; ring.
  - apply Rmult_eq_reg_r with (before n B (fun s => corner (asked_before n B eps t j j lambda s)
    (exp (eps s))) t j); lra.
Qed.

(** What the criterion is about: the zeros of one side's sweep, over all times. *)
Lemma settles_if n P eps v : (0 < n)%nat -> stochastic n P -> 0 < eps ->
  (forall s j k lambda, (j < n)%nat -> (k < n)%nat -> j <> k -> greatest_before n (fun _ =>
    P) (fun _ => eps) s j k lambda -> lambda <= v) ->
  settles n P eps.
Proof.
  intros Hn HP He H. apply (criterion n P eps Hn HP He). exists (Rmax 1 v).
    intros s j k lambda Hj Hk Hl.
  destruct (Nat.eq_dec j k) as [<-|Hne].
  - rewrite (told_same n (fun _ => P) (fun _ => eps) s j lambda (fun _ => HP) Hj Hl). apply Rmax_l.
  - eapply Rle_trans; [apply (H s j k lambda); assumption|apply Rmax_r].
Qed.

Lemma settles_bounds n P eps : (0 < n)%nat -> stochastic n P -> 0 < eps -> settles n P eps ->
  exists v, 1 <= v /\ forall s j k lambda, (j < n)%nat -> (k < n)%nat ->
    greatest_before n (fun _ => P) (fun _ => eps) s j k lambda -> lambda <= v.
Proof.
  intros Hn HP He H. apply (criterion n P eps Hn HP He) in H. destruct H as [u Hu].
    exists (Rmax 1 u).
  split; [apply Rmax_l|]. intros s j k lambda Hj Hk Hl. eapply Rle_trans; [apply (Hu s j k lambda);
    assumption|apply Rmax_r].
Qed.

Lemma sweep_matrices n B B' e s c : (forall r, (r < s)%nat -> B r = B' r) ->
  sweep n B e s c = sweep n B' e s c.
Proof. revert c. induction s as [|s IH]; intros c H; simpl; [reflexivity|]. rewrite H, IH by auto.
  reflexivity. Qed.

(** Both sides at once; a side that is not seen needs nothing. The budget at each time is eps; the
    matrices of a side that is seen are those of all steps. *)
Lemma bounded_for_ever_iff past future n c B P F eps : (0 < n)%nat -> valid n c -> bayes n c B ->
  0 < eps ->
  (past = true -> forall t, B t = P) -> (future = true -> forall t, forward c t = F) ->
  (forall t a, (a < n)%nat -> 0 < probability n c t (value t a)) ->
  ((exists v, forall (O : Type) (M : nat -> nat -> O -> R) T t, (t <= T)%nat -> private n (fun _ =>
    eps) M ->
    leaks_at_most n c T M t (first_time past t) (last_time future T t) v) <->
   (past = true -> settles n P eps) /\ (future = true -> settles n F eps)).
Proof.
  intros Hn Hc HB He HP HF Hall.
  assert (He' : forall t : nat, 0 <= (fun _ => eps) t) by (intros; lra).
  assert (Hpossible : forall T t a, (t <= T)%nat -> (a < n)%nat -> 0 < probability n c T
    (value t a)).
  { intros T t a Ht Ha. specialize (Hall t a Ha). rewrite marginal_probability in * by auto.
    assumption. }
  assert (SP : past = true -> stochastic n P) by (intros E; rewrite <- (HP E 0%nat); apply HB).
  assert (SF : future = true -> stochastic n F) by (intros E; rewrite <- (HF E 0%nat); apply Hc).
  assert (EB : past = true -> forall s j k x, greatest_before n (fun _ => P) (fun _ => eps) s j k x
    <-> greatest_before n B (fun _ => eps) s j k x).
  { intros E s j k x. destruct s as [|s]; [reflexivity|]. simpl. rewrite HP by assumption.
    rewrite (sweep_matrices n B (fun _ => P)); [reflexivity|]. intros. rewrite HP by assumption.
      reflexivity. }
  assert (EF : future = true -> forall T t j k x, greatest_before n (fun _ => F) (fun _ => eps) t j
    k x <->
    greatest_before n (fun s => forward c (T - S s)%nat) (turned T (fun _ => eps)) t j k x).
  { intros E T s j k x. destruct s as [|s]; [reflexivity|]. simpl. rewrite HF by assumption.
    rewrite (sweep_matrices n (fun s => forward c (T - S s)%nat) (fun _ => F)); [reflexivity|].
    intros. rewrite HF by assumption. reflexivity. }
  assert (HFs : forall T s, stochastic n (forward c (T - S s)%nat)) by (intros; apply Hc).
  split.
  - intros [v Hv]. split; intros E.
    + apply (settles_if n P eps (exp v) Hn (SP E) He). intros s j k lambda Hj Hk Hjk Hl.
      apply EB in Hl; [|assumption].
      destruct (told_exists future n (fun s' => forward c (s - S s')%nat) (turned s (fun _ => eps))
        (s - s) j k (HFs s) He' Hj Hk) as [mu Hm].
      assert (Hpair : pair_leakage past future n c B (fun _ => eps) s s j k (eps + ln lambda + ln
        mu)).
      { repeat split; auto. exists lambda, mu. rewrite E. auto. }
      destruct (pair_attained past future n c B (fun _ => eps) s s j k _ Hc HB He' (le_n s) Hpair)
        as [sets [HM [A A0]]].
      specialize (Hv bool _ s s (le_n s) HM (fun _ => true) j k Hj Hk (Hpossible s s j (le_n s) Hj)
        (Hpossible s s k (le_n s) Hk)).
      cbv zeta in A, A0. rewrite A in Hv. apply Rmult_le_reg_r in Hv; [|assumption].
      pose proof (told_least true n B (fun _ => eps) s j k lambda (proj1 HB) He' Hj Hk Hl) as L1.
      pose proof (told_least future n _ (turned s (fun _ => eps)) (s - s) j k mu (HFs s) He' Hj Hk
        Hm) as M1.
      rewrite exp_pair in Hv by lra. pose proof (exp_ratio eps ltac:(lra)).
        assert (lambda * 1 <= lambda * mu) by (apply Rmult_le_compat_l; lra).
      nra.
    + apply (settles_if n F eps (exp v) Hn (SF E) He). intros s j k mu Hj Hk Hjk Hm.
      apply (EF E s s j k mu) in Hm.
      assert (Hm' : told future n (fun r => forward c (s - S r)%nat) (turned s (fun _ => eps))
        (s - 0) j k mu)
        by (rewrite E, Nat.sub_0_r; exact Hm).
      assert (Hl : told past n B (fun _ => eps) 0 j k 1) by (destruct past; reflexivity).
      assert (Hpair : pair_leakage past future n c B (fun _ => eps) s 0 j k (eps + ln 1 + ln mu)).
      { repeat split; auto; try (apply Hpossible; auto; lia). exists 1, mu. auto. }
      destruct (pair_attained past future n c B (fun _ => eps) s 0 j k _ Hc HB He' (Nat.le_0_l s)
        Hpair) as [sets [HM [A A0]]].
      specialize (Hv bool _ s 0%nat (Nat.le_0_l s) HM (fun _ => true) j k Hj Hk (Hpossible s 0%nat
        j (Nat.le_0_l s) Hj) (Hpossible s 0%nat k (Nat.le_0_l s) Hk)).
      cbv zeta in A, A0. rewrite A in Hv. apply Rmult_le_reg_r in Hv; [|assumption].
      pose proof (told_least future n _ (turned s (fun _ => eps)) (s - 0) j k mu (HFs s) He' Hj Hk
        Hm') as M1.
      rewrite exp_pair in Hv by lra. pose proof (exp_ratio eps ltac:(lra)). nra.
  - intros [SPe SFe].
    assert (Hpast : exists u, 1 <= u /\ forall t j k lambda, (j < n)%nat -> (k < n)%nat ->
      told past n B (fun _ => eps) t j k lambda -> lambda <= u).
    { destruct past eqn:E; [|exists 1; split; [lra|intros t j k lambda _ _ H; simpl in H; lra]].
      destruct (settles_bounds n P eps Hn (SP eq_refl) He (SPe eq_refl)) as [u [Hu H]]. exists u.
        split; [assumption|].
      intros t j k lambda Hj Hk Hl. apply (H t j k); auto. apply EB; auto. }
    assert (Hfuture : exists u, 1 <= u /\ forall T t j k mu, (j < n)%nat -> (k < n)%nat ->
      told future n (fun s => forward c (T - S s)%nat) (turned T (fun _ => eps)) t j k mu ->
        mu <= u).
    { destruct future eqn:E; [|exists 1; split; [lra|intros T t j k mu _ _ H; simpl in H; lra]].
      destruct (settles_bounds n F eps Hn (SF eq_refl) He (SFe eq_refl)) as [u [Hu H]]. exists u.
        split; [assumption|].
      intros T t j k mu Hj Hk Hm. apply (H t j k); auto. apply (EF eq_refl T); auto. }
    destruct Hpast as [u [Hu HuP]]. destruct Hfuture as [u' [Hu' HuF]].
      exists (eps + ln u + ln u').
    intros O M T t Ht HM r j k Hj Hk Pj Pk.
    destruct (told_exists past n B (fun _ => eps) t j k (proj1 HB) He' Hj Hk) as [lambda Hl].
    destruct (told_exists future n _ (turned T (fun _ => eps)) (T - t) j k (HFs T) He' Hj Hk)
      as [mu Hm].
    pose proof (told_least past n B (fun _ => eps) t j k lambda (proj1 HB) He' Hj Hk Hl) as L1.
    pose proof (told_least future n _ (turned T (fun _ => eps)) (T - t) j k mu (HFs T) He' Hj Hk
      Hm) as M1.
    pose proof (HuP t j k lambda Hj Hk Hl). pose proof (HuF T _ j k mu Hj Hk Hm).
    apply (told_sound past future n c B (fun _ => eps) T M t j k lambda mu); auto.
    rewrite exp_pair by lra. apply Rmult_le_compat_l; [left; apply exp_pos|].
      apply Rmult_le_compat; lra.
Qed.

(** BPL, FPL and TPL, as they are defined, are bounded over all times, horizons and mechanisms of a
    budget eps > 0 if and only if (i) and (ii) hold of the backward matrix, of the forward matrix,
    of both. *)
Theorem BPL_bounded_for_ever n c B P eps : (0 < n)%nat -> valid n c -> bayes n c B -> 0 < eps ->
  (forall t, B t = P) ->
  (forall t a, (a < n)%nat -> 0 < probability n c t (value t a)) ->
  ((exists v, forall (O : Type) (M : nat -> nat -> O -> R) T t, (t <= T)%nat -> private n (fun _ =>
    eps) M -> BPL_at_most n c T M t v)
   <-> settles n P eps).
Proof.
  intros Hn Hc HB He HP Hall.
  rewrite (bounded_for_ever_iff true false n c B P P eps) by (auto; discriminate).
    intuition discriminate.
Qed.

Theorem FPL_bounded_for_ever n c B F eps : (0 < n)%nat -> valid n c -> bayes n c B -> 0 < eps ->
  (forall t, forward c t = F) ->
  (forall t a, (a < n)%nat -> 0 < probability n c t (value t a)) ->
  ((exists v, forall (O : Type) (M : nat -> nat -> O -> R) T t, (t <= T)%nat -> private n (fun _ =>
    eps) M -> FPL_at_most n c T M t v)
   <-> settles n F eps).
Proof.
  intros Hn Hc HB He HF Hall.
  rewrite (bounded_for_ever_iff false true n c B F F eps) by (auto; discriminate).
    intuition discriminate.
Qed.

Theorem TPL_bounded_for_ever n c B P F eps : (0 < n)%nat -> valid n c -> bayes n c B -> 0 < eps ->
  (forall t, B t = P) ->
  (forall t, forward c t = F) -> (forall t a, (a < n)%nat -> 0 < probability n c t (value t a)) ->
  ((exists v, forall (O : Type) (M : nat -> nat -> O -> R) T t, (t <= T)%nat -> private n (fun _ =>
    eps) M -> TPL_at_most n c T M t v)
   <-> settles n P eps /\ settles n F eps).
Proof.
  intros Hn Hc HB He HP HF Hall. rewrite (bounded_for_ever_iff true true n c B P F eps) by auto.
    intuition.
Qed.
