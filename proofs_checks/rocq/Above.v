(** The check from above: what it tests of a pair of values and a time bounds every stream. Over
    the real numbers; that its doubles lie above those is in Doubles.v, that its integers do in
    Integers.v. *)

From Coq Require Import FunctionalExtensionality.
From TPL Require Export Streams.
Open Scope R_scope.

(** ** Definitions *)

(** What is tested of the values j and k of time t, for B_t(j,k) <= lambda. The check carries up s,
    at or above the sweep's c at time s, on a scale of its own, from time t - 1 back to a time
      last;
    e s is at or above e^(eps_s). The check ends where all entries of up are at most 0, or where W
    is: then e last is at or above what all releases up to then do to the odds of any two values,
    which earlier checks prove: at time 0 that is e^(eps_0). *)
Definition tested (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t j k : nat) (lambda :
  R) : Prop :=
  match t with
  | O => 1 <= lambda
  | S p => exists last up e scale,
    (last <= p)%nat /\
    (forall s, (last < s <= p)%nat -> exp (eps s) <= e s) /\
    (forall a, (a < n)%nat -> difference (B p) j k lambda a <= up p a) /\
    (forall s, 0 < scale s) /\
    (forall s a, (last <= s < p)%nat -> (a < n)%nat ->
       scale s * back n (B s) (Phi (e (S s)) (up (S s))) a <= up s a) /\
    ((forall a, (a < n)%nat -> up last a <= 0) \/
     (forall a b odds, (a < n)%nat -> (b < n)%nat -> a <> b ->
        greatest_before n B eps last a b odds -> exp (eps last) * odds <= e last) /\
     sum n (Phi (e last) (up last)) <= 0)
  end.
Definition tested_after n (F : nat -> nat -> nat -> R) eps (T t j k : nat) (mu : R) : Prop :=
  tested n (fun s => F (T - S s)%nat) (turned T eps) (T - t) j k mu.

(** What is tested for B_t(j,k) = 1: back to a time last no release has a budget, and there c is 0
    or no budget is left. *)
Definition tested_silent (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t j k : nat) :
  Prop :=
  match t with
  | O => True
  | S p => exists last c,
    (last <= p)%nat /\ (forall a, (a < n)%nat -> c p a = B p j a - B p k a) /\
    (forall s a, (s < p)%nat -> (a < n)%nat -> c s a = back n (B s) (c (S s)) a) /\
    (forall s, (last < s <= p)%nat -> eps s = 0) /\
    ((forall a, (a < n)%nat -> c last a = 0) \/ forall s, (s <= last)%nat -> eps s = 0)
  end.

(** ** One side *)

Lemma odds_until n B eps w last a b odds : (forall t, stochastic n (B t)) -> (forall t,
  0 <= eps t) -> bounded_by n eps w -> (a < n)%nat -> (b < n)%nat ->
  greatest_before n B eps last a b odds ->
  likelihood n B w last a <= exp (eps last) * odds * likelihood n B w last b.
Proof.
  intros HB He Hw Ha Hb H. assert (Hn : (0 < n)%nat) by lia. rewrite !likelihood_before.
  pose proof (greatest_before_upper n B eps w last a b odds Hn HB Hw H) as X.
  destruct (before_bound n B eps w last a a HB He Hw Ha Ha) as [X0 _].
  destruct (Hw last a b Ha Hb) as [W0 W].
  replace (exp (eps last) * odds * (w last b * before n B w last b))
    with (exp (eps last) * w last b * (odds * before n B w last b)) by ring.
  apply Rmult_le_compat; assumption.
Qed.

(** What a sweep at an earlier release says of the likelihoods it says up to the nearest. *)
Lemma carried_up n B eps w up e scale last p : (0 < n)%nat -> (forall t, stochastic n (B t)) ->
  bounded_by n eps w -> (last <= p)%nat -> (forall s, (last < s <= p)%nat -> exp (eps s) <= e s) ->
  (forall s, (last <= s < p)%nat -> 0 < scale s) ->
  (forall s a, (last <= s < p)%nat -> (a < n)%nat ->
     scale s * back n (B s) (Phi (e (S s)) (up (S s))) a <= up s a) ->
  dot n (up last) (likelihood n B w last) <= 0 -> dot n (up p) (likelihood n B w p) <= 0.
Proof.
  intros Hn HB Hw Hlast Hexp Hscale Hstep H.
  assert (Hw0 : forall s b, (b < n)%nat -> 0 <= w s b) by (intros s b Hb; apply (Hw s b b Hb Hb)).
  assert (L0 : forall s a, (a < n)%nat -> 0 <= likelihood n B w s a) by
    (intros; apply likelihood_nonneg; auto).
  assert (Hgo : forall s, (last <= s < p)%nat -> dot n (up s) (likelihood n B w s) <= 0 ->
    dot n (up (S s)) (likelihood n B w (S s)) <= 0).
  { intros s Hs H'. assert (HE : exp (eps (S s)) <= e (S s)) by (apply Hexp; lia).
    destruct (Phi_bound n (e (S s)) (w (S s)) (fun a => dot n (B s a) (likelihood n B w s)) Hn) as
      [m [Hm Hbound]].
    - intros a b Ha Hb. destruct (Hw (S s) a b Ha Hb). split; [assumption|].
      eapply Rle_trans; [eassumption|]. apply Rmult_le_compat_r; auto.
    - intros a Ha. apply dot_nonneg; [apply HB; assumption|auto].
    - simpl likelihood. eapply Rle_trans; [apply Hbound|]. rewrite dot_back.
      set (c := back n (B s) (Phi (e (S s)) (up (S s)))).
      assert (scale s * dot n c (likelihood n B w s) <= 0).
      { eapply Rle_trans; [|exact H']. unfold dot. rewrite <- sum_scale. apply sum_le. intros a Ha.
        rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [auto|]. apply Hstep; assumption. }
      specialize (Hscale s Hs). assert (dot n c (likelihood n B w s) <= 0) by nra. nra. }
  assert (Hreach : forall d s, (last <= s)%nat -> (s + d <= p)%nat ->
    dot n (up s) (likelihood n B w s) <= 0 -> dot n (up (s + d)%nat) (likelihood n B w (s + d))
      <= 0).
  { induction d as [|d IH]; intros s H1 H2 H'; [rewrite Nat.add_0_r; assumption|].
    rewrite Nat.add_succ_r. apply Hgo; [lia|]. apply IH; auto; lia. }
  replace p with (last + (p - last))%nat by lia. apply Hreach; try lia. exact H.
Qed.

Lemma tested_before n B eps t j k lambda w : (forall t, stochastic n (B t)) -> (forall t,
  0 <= eps t) -> bounded_by n eps w -> (j < n)%nat -> (k < n)%nat -> j <> k ->
  tested n B eps t j k lambda -> before n B w t j <= lambda * before n B w t k.
Proof.
  intros HB He Hw Hj Hk Hjk H. assert (Hn : (0 < n)%nat) by lia. destruct t as [|p]; [simpl in *;
    lra|].
  destruct H as [last [up [e [scale [Hlast [Hexp [Hup [Hscale [Hstep Hend]]]]]]]]].
  assert (Hw0 : forall s b, (b < n)%nat -> 0 <= w s b) by (intros s b Hb; apply (Hw s b b Hb Hb)).
  assert (L0 : forall s a, (a < n)%nat -> 0 <= likelihood n B w s a) by
    (intros; apply likelihood_nonneg; auto).
  assert (Hp : dot n (up p) (likelihood n B w p) <= 0).
  { apply (carried_up n B eps w up e scale last); auto.
    destruct Hend as [H|[Hodds H]].
    { unfold dot. rewrite <- (sum_zero n). apply sum_le. intros a Ha.
      specialize (H a Ha). specialize (L0 last a Ha). nra. }
  assert (He1 : 1 <= e last).
    { destruct (greatest_before_exists n B eps last j k HB He Hj Hk) as [odds [H1 H2]].
      pose proof (Hodds j k odds Hj Hk Hjk H2). pose proof (exp_ratio (eps last) (He last)). nra. }
    assert (Hfar : forall a b, (a < n)%nat -> (b < n)%nat -> 0 <= likelihood n B w last a /\
      likelihood n B w last a <= e last * likelihood n B w last b).
    { intros a b Ha Hb. split; [auto|]. pose proof (L0 last a Ha). pose proof (L0 last b Hb).
      destruct (Nat.eq_dec a b) as [<-|N]; [nra|].
      destruct (greatest_before_exists n B eps last a b HB He Ha Hb) as [odds [_ H2]].
      eapply Rle_trans; [apply (odds_until n B eps w last a b odds); auto|].
      apply Rmult_le_compat_r; [assumption|]. apply (Hodds a b); assumption. }
    destruct (Phi_bound n (e last) (likelihood n B w last) (fun _ => 1) Hn Hfar) as [m [Hm
      Hbound]].
    { intros; lra. }
    specialize (Hbound (up last)). unfold dot in Hbound |- *.
    rewrite (sum_ext n (fun j => up last j * likelihood n B w last j) (fun j => up last j *
      (likelihood n B w last j * 1))) by (intros; ring).
    eapply Rle_trans; [exact Hbound|]. rewrite (sum_ext n _ (Phi (e last) (up last))) by
      (intros; ring). nra. }
  assert (D : dot n (difference (B p) j k lambda) (likelihood n B w p) <= 0).
  { eapply Rle_trans; [|exact Hp]. apply sum_le. intros a Ha. apply Rmult_le_compat_r; auto. }
  rewrite before_difference in D. lra.
Qed.

(** What is tested bounds the greatest ratio, B_t(j,k). *)
Theorem tested_bound n B eps t j k lambda odds : (forall t, stochastic n (B t)) -> (forall t,
  0 <= eps t) -> (j < n)%nat -> (k < n)%nat -> j <> k ->
  tested n B eps t j k lambda -> greatest_before n B eps t j k odds -> odds <= lambda.
Proof.
  intros HB He Hj Hk Hjk H Hodds.
  set (w := fun s => corner (asked_before n B eps t j k odds s) (exp (eps s))).
  assert (Hw : bounded_by n eps w) by (apply corner_bounded; assumption).
  pose proof (tested_before n B eps t j k lambda w HB He Hw Hj Hk Hjk H) as L.
  rewrite (greatest_before_attained n B eps w t j k odds HB Hodds ltac:(reflexivity) Hj Hk) in L.
  assert (0 < before n B w t k).
  { apply before_positive; auto. intros s b _ _. unfold w, corner. pose proof (exp_pos (eps s)).
    destruct (asked_before n B eps t j k odds s b); lra. }
  nra.
Qed.

Lemma Phi_one c a : Phi 1 c a = c a.
Proof. unfold Phi. destruct (Rlt_dec 0 (c a)); ring. Qed.

(** Two values of which no release tells anything are tested for lambda = 1. *)
Theorem silent_test n B eps t j k : (forall t, stochastic n (B t)) -> (j < n)%nat -> (k < n)%nat ->
  tested_silent n B eps t j k -> tested n B eps t j k 1.
Proof.
  intros HB Hj Hk H. destruct t as [|p]; [simpl; lra|].
  destruct H as [last [c [Hlast [Hp [Hc [Heps H]]]]]].
  assert (Hsum : forall d s, (s + d = p)%nat -> sum n (c s) = 0).
  { induction d as [|d IH]; intros s Hs.
    - replace s with p by lia. rewrite (sum_ext n (c p) (fun a => B p j a - B p k a)) by
        (intros; apply Hp; assumption).
      rewrite sum_minus. change (sum n (B p j) - sum n (B p k) = 0).
      rewrite (proj2 (HB p j Hj)), (proj2 (HB p k Hk)). ring.
    - rewrite <- (IH (S s)) by lia.
      rewrite (sum_ext n (c s) (back n (B s) (c (S s)))) by (intros; apply Hc; [lia|assumption]).
      unfold back. rewrite sum_swap. apply sum_ext. intros a Ha.
      rewrite sum_scale_r. change (sum n (B s a) * c (S s) a = c (S s) a).
      rewrite (proj2 (HB s a Ha)). ring. }
  assert (Hstep : forall s a, (s < p)%nat -> (a < n)%nat -> eps (S s) = 0 ->
    1 * back n (B s) (Phi (exp (eps (S s))) (c (S s))) a <= c s a).
  { intros s a Hs Ha E. rewrite E, exp_0, Rmult_1_l, (Hc s a Hs Ha). right. unfold back.
    apply sum_ext. intros b _. rewrite Phi_one. reflexivity. }
  assert (Hstart : forall a, (a < n)%nat -> difference (B p) j k 1 a <= c p a).
  { intros a Ha. rewrite (Hp a Ha). unfold difference. lra. }
  destruct H as [H|H].
  - exists last, c, (fun s => exp (eps s)), (fun _ => 1). repeat split; auto; try (intros; lra).
    + intros s a Hs Ha. apply Hstep; [lia|assumption|]. apply Heps. lia.
    + left. intros a Ha. rewrite (H a Ha). lra.
  - assert (H0 : forall s, (s <= p)%nat -> eps s = 0).
    { intros s Hs. destruct (le_lt_dec s last); [auto|apply Heps; lia]. }
    exists 0%nat, c, (fun s => exp (eps s)), (fun _ => 1).
    repeat split; auto; try (intros; lra); try lia.
    + intros s a Hs Ha. apply Hstep; [lia|assumption|]. apply H0. lia.
    + right. split.
      * intros a b odds _ _ _ Ho. simpl in Ho. subst odds. lra.
      * rewrite (H0 0%nat) by lia. rewrite exp_0, (sum_ext n _ (c 0%nat)) by
          (intros; apply Phi_one). right. apply (Hsum p). reflexivity.
Qed.

(** So what proves B_t(j,k) <= lambda for all pairs proves the claim with which later checks end.
  *)
Theorem tested_claim n B eps t lambda e : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t)
  -> (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> tested n B eps t j k lambda) ->
  exp (eps t) * lambda <= e ->
  forall j k odds, (j < n)%nat -> (k < n)%nat -> j <> k -> greatest_before n B eps t j k odds ->
  exp (eps t) * odds <= e.
Proof.
  intros HB He H HE j k odds Hj Hk Hjk Ho.
  pose proof (tested_bound n B eps t j k lambda odds HB He Hj Hk Hjk (H j k Hj Hk Hjk) Ho).
  pose proof (exp_pos (eps t)). nra.
Qed.

Lemma sweep_deeper n P e s c : stochastic n P -> 0 <= e ->
  sweep n (fun _ => P) (fun _ => e) s c <= sweep n (fun _ => P) (fun _ => e) (S s) c.
Proof.
  intros HP He. revert c. induction s as [|s IH]; intros c; [|apply (IH (back n P (Phi (exp e)
    c)))].
  simpl. set (f := Phi (exp e) c).
  apply Rle_trans with (sum n (back n P f)).
  - right. unfold back. rewrite sum_swap. apply sum_ext. intros a Ha. rewrite sum_scale_r.
    change (f a = sum n (P a) * f a). rewrite (proj2 (HP a Ha)). ring.
  - apply sum_le. intros a _. unfold Phi at 1. pose proof (exp_ratio e He).
    destruct (Rlt_dec 0 (back n P f a)); nra.
Qed.

(** Over equal steps the ratio rises with the number of releases: a bound over more of them holds
    over fewer. *)
Theorem more_releases n P e t j k odds odds' : stochastic n P -> 0 <= e -> (j < n)%nat ->
  (k < n)%nat -> greatest_before n (fun _ => P) (fun _ => e) t j k odds ->
  greatest_before n (fun _ => P) (fun _ => e) (S t) j k odds' -> odds <= odds'.
Proof.
  intros HP He Hj Hk H H'. set (B := fun _ : nat => P) in *. set (eps := fun _ : nat => e) in *.
  assert (HB : forall t, stochastic n (B t)) by (intros; exact HP).
  assert (Heps : forall t, 0 <= eps t) by (intros; exact He). assert (Hn : (0 < n)%nat) by lia.
  set (w := fun s => corner (asked_before n B eps t j k odds s) (exp (eps s))).
  assert (Hw : bounded_by n eps w) by (apply corner_bounded; assumption).
  assert (L : before n B w t j <= odds' * before n B w t k).
  { apply greatest_before_rule with eps; auto. destruct t as [|s].
    - destruct (greatest_before_exists n B eps 1 j k HB Heps Hj Hk) as [x [Hx E]].
      rewrite (greatest_before_unique n B eps 1 j k odds' x HB Heps Hj Hk H' E). lra.
    - simpl in H'. eapply Rle_trans; [apply (sweep_deeper n P e s _ HP He)|].
      right. exact H'. }
  rewrite (greatest_before_attained n B eps w t j k odds HB H ltac:(reflexivity) Hj Hk) in L.
  assert (0 < before n B w t k).
  { apply before_positive; auto. intros s b _ _. unfold w, corner. pose proof (exp_pos (eps s)).
    destruct (asked_before n B eps t j k odds s b); lra. }
  apply Rmult_le_reg_r with (before n B w t k); lra.
Qed.

(** ** Both sides *)

(** Bounds lambda and mu of both sides whose product with e^(eps_t) is at most e^v for each pair
    bound TPL_t of every event-level private stream by v. *)
Lemma odds_TPL {O : Type} n c B eps T (M : path -> O -> R) t v :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private_stream n T eps M -> (t <= T)%nat ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> exists lambda mu,
     (forall odds, greatest_before n B eps t j k odds -> odds <= lambda) /\
     (forall odds, greatest_after n (forward c) eps T t j k odds -> odds <= mu) /\
     exp (eps t) * lambda * mu <= exp v) ->
  0 <= v -> stream_leaks_at_most n c T M t v.
Proof.
  intros Hc HB He HM Ht H Hv o a b Ha Hb Pa Pb. assert (Hn : (0 < n)%nat) by lia.
  assert (N : forall a, (a < n)%nat -> 0 < probability n c T (value t a) ->
    0 <= given n c T (fun l => M l o) (value t a)).
  { intros d Hd Pd. rewrite (given_mean n c T B) by assumption.
    assert (H0 : in_range n origin) by (intros s; exact Hn).
    apply mean_nonneg; auto using in_range_then; [apply HB|]. intros l Hl.
    apply mean_nonneg; auto; [intros; apply Hc|].
    intros l' Hl'. apply (HM o l' t d); assumption. }
  pose proof (N b Hb Pb) as Nb. destruct (Nat.eq_dec a b) as [<-|Hab].
  { pose proof (exp_ratio v Hv). nra. }
  destruct (H a b Ha Hb Hab) as [lambda [mu [Hl [Hm Hprod]]]].
  destruct (greatest_before_exists n B eps t a b (proj1 HB) He Ha Hb) as [x [Hx Ex]].
  destruct (greatest_before_exists n (fun s => forward c (T - S s)%nat) (turned T eps) (T - t) a b
    ltac:(intros s; apply Hc) ltac:(intros s; apply He) Ha Hb) as [y [Hy Ey]].
  pose proof (Hl x Ex). pose proof (Hm y Ey).
  eapply Rle_trans; [apply (joint_TPL n c B eps T M t a b x y o); auto|].
  apply Rmult_le_compat_r; [assumption|]. eapply Rle_trans; [|exact Hprod].
  pose proof (exp_pos (eps t)). rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_compat; lra.
Qed.

(** So where each pair is tested on both sides, TPL_t is at most v. *)
Theorem tested_TPL {O : Type} n c B eps T (M : path -> O -> R) t v :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private_stream n T eps M -> (t <= T)%nat ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> exists lambda mu,
     tested n B eps t j k lambda /\ tested_after n (forward c) eps T t j k mu /\
     exp (eps t) * lambda * mu <= exp v) ->
  0 <= v -> stream_leaks_at_most n c T M t v.
Proof.
  intros Hc HB He HM Ht H Hv. apply (odds_TPL n c B eps); auto. intros j k Hj Hk Hjk.
  destruct (H j k Hj Hk Hjk) as [lambda [mu [Hl [Hm Hprod]]]]. exists lambda, mu.
  split; [|split; [|exact Hprod]]; intros odds.
  - apply tested_bound; auto. apply HB.
  - apply (tested_bound n _ (turned T eps)); auto; intros s; [apply Hc|apply He].
Qed.

(** ** Infinite budgets *)

(** An event-level private stream whose releases have infinite budgets at some times: there they
    may tell all. *)
Definition private_at_times {O : Type} (n T : nat) (eps : nat -> R) (is_infinite : nat -> bool)
  (M : path -> O -> R) : Prop :=
  forall o l s a, in_range n l -> (s <= T)%nat -> (a < n)%nat -> 0 <= M l o /\
  (is_infinite s = false -> M l o <= exp (eps s) * M (then_at l s a) o).

(** Some finite budgets in place of the infinite ones. *)
Definition instead (eps : nat -> R) (is_infinite : nat -> bool) (eps' : nat -> R) : Prop :=
  forall s, 0 <= eps' s /\ (is_infinite s = false -> eps' s = eps s).

(** A path without what comes after time T. *)
Definition until (T : nat) (l : path) : path := fun s => if Nat.leb s T then l s else 0%nat.

Lemma until_then T l s a : (s <= T)%nat -> until T (then_at l s a) = then_at (until T l) s a.
Proof.
  intros H. extensionality r. unfold until, then_at. destruct (Nat.eqb_spec r s) as [->|]; auto.
  destruct (Nat.leb_spec s T); [reflexivity|lia].
Qed.

Lemma over_paths_until n t f : over_paths n t f = over_paths n t (fun l => f (until t l)).
Proof.
  revert f. induction t as [|t IH]; intros f; simpl; apply sum_ext; intros a _.
  - f_equal. extensionality s. unfold until, then_at. destruct s; reflexivity.
  - rewrite IH, (IH (fun l => f (until (S t) (then_at l (S t) a)))). apply over_paths_ext.
    intros l. f_equal. extensionality s. unfold until, then_at.
    destruct (Nat.eqb_spec s (S t)) as [->|]; [rewrite Nat.leb_refl; reflexivity|].
    destruct (Nat.leb_spec s t), (Nat.leb_spec s (S t)); try reflexivity; lia.
Qed.

Lemma over_paths_nonneg n t f : (forall l, 0 <= f l) -> 0 <= over_paths n t f.
Proof.
  revert f. induction t as [|t IH]; intros f H; simpl; apply sum_nonneg; auto.
Qed.

Lemma over_paths_term n t f l : (forall l, 0 <= f l) -> in_range n l ->
  f (until t l) <= over_paths n t f.
Proof.
  revert f. induction t as [|t IH]; intros f H Hl; simpl.
  - replace (until 0 l) with (then_at (fun _ => 0%nat) 0 (l 0%nat)).
    + apply (sum_term n (fun a => f (then_at (fun _ => 0%nat) 0 a))); auto.
    + extensionality s. unfold until, then_at. destruct s; reflexivity.
  - eapply Rle_trans; [|apply (sum_term n (fun a => over_paths n t (fun l => f (then_at l (S t)
      a))) (l (S t))); auto using over_paths_nonneg].
    eapply Rle_trans; [|apply (IH (fun l' => f (then_at l' (S t) (l (S t))))); auto].
    right. f_equal. extensionality s. unfold until, then_at.
    destruct (Nat.eqb_spec s (S t)) as [->|]; [rewrite Nat.leb_refl; reflexivity|].
    destruct (Nat.leb_spec s t), (Nat.leb_spec s (S t)); try reflexivity; lia.
Qed.

Lemma over_paths_plus n t f g : over_paths n t (fun l => f l + g l) = over_paths n t f +
  over_paths n t g.
Proof.
  revert f g. induction t as [|t IH]; intros f g; simpl; rewrite <- sum_plus; apply sum_ext;
    intros; [reflexivity|]. apply (IH (fun l => f (then_at l (S t) j))).
Qed.

Lemma given_more n c T g d v : 0 < probability n c T v ->
  given n c T (fun l => g (until T l) + d) v = given n c T g v + d.
Proof.
  intros H. unfold given, jointly.
  rewrite (over_paths_until n T (fun l => path_probability c T l * (g l * product T v l))).
  rewrite (over_paths_ext n T _ (fun l => path_probability c T l * (g (until T l) * product T v l)
    + d * (path_probability c T l * product T v l))) by (intros; ring).
  rewrite over_paths_plus, over_paths_scale. fold (probability n c T v).
  rewrite (over_paths_until n T (fun l => path_probability c T l * (g (until T l) *
    product T v l))).
  rewrite (over_paths_ext n T (fun l => path_probability c T (until T l) *
    (g (until T (until T l)) * product T v (until T l)))
    (fun l => path_probability c T (until T l) * (g (until T l) * product T v (until T l)))).
  - field. lra.
  - intros l. replace (until T (until T l)) with (until T l); [reflexivity|].
    extensionality s. unfold until. destruct (Nat.leb s T); reflexivity.
Qed.

(** Where each pair is tested on both sides whatever stands for the infinite budgets, the bound
    holds with these. So it does where the check has come to an end before it gets to them, and
    where no line is above 0 at them. *)
Theorem tested_infinite {O : Type} n c B eps is_infinite T (M : path -> O -> R) t v :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private_at_times n T eps is_infinite M ->
  (t <= T)%nat ->
  (forall eps' j k, instead eps is_infinite eps' -> (j < n)%nat -> (k < n)%nat -> j <> k ->
     exists lambda mu, tested n B eps' t j k lambda /\
     tested_after n (forward c) eps' T t j k mu /\ exp (eps' t) * lambda * mu <= exp v) ->
  0 <= v -> stream_leaks_at_most n c T M t v.
Proof.
  intros Hc HB He HM Ht H Hv o a b Ha Hb Pa Pb.
  set (g := fun l => M l o). set (x := given n c T g (value t a)).
  set (y := given n c T g (value t b)). set (most := over_paths n T (fun l => Rabs (g l)) + 1).
  assert (Hin : forall l, in_range n l -> in_range n (until T l)).
  { intros l Hl s. unfold until. destruct (Nat.leb s T); [apply Hl|lia]. }
  assert (Hmost : forall l, in_range n l -> 0 <= g (until T l) <= most).
  { intros l Hl. split; [apply (HM o (until T l) t a); auto|]. eapply Rle_trans; [apply Rle_abs|].
    unfold most. rewrite <- (Rplus_0_r (Rabs _)). apply Rplus_le_compat; [|lra].
    apply (over_paths_term n T (fun l => Rabs (g l))); auto using Rabs_pos. }
  assert (Hd : forall d, 0 < d -> x + d <= exp v * (y + d)).
  { intros d Hd. unfold x, y. rewrite <- !given_more by assumption.
    assert (M0 : 0 < most) by (apply Rle_lt_0_plus_1, over_paths_nonneg; auto using Rabs_pos).
    set (eps' := fun s => if is_infinite s then ln (1 + most / d) else eps s).
    assert (D : 0 < most / d) by (apply Rdiv_lt_0_compat; lra).
    assert (HI : instead eps is_infinite eps').
    { intros s. unfold eps'. destruct (is_infinite s); [|auto]. split; [|discriminate].
      left. rewrite <- ln_1. apply ln_increasing; lra. }
    apply (tested_TPL n c B eps' T (fun l (_ : unit) => g (until T l) + d) t v Hc HB); auto.
    - intros s. apply HI.
    - intros _ l s e Hl Hs He'. pose proof (Hmost l Hl). split; [lra|].
      pose proof (Hmost (then_at l s e) (in_range_then n l s e Hl He')) as H1.
      unfold eps'. destruct (is_infinite s) eqn:I.
      + rewrite exp_ln by lra. apply Rle_trans with ((1 + most / d) * d).
        * replace ((1 + most / d) * d) with (d + most) by (field; lra). lra.
        * apply Rmult_le_compat_l; lra.
      + rewrite until_then in * by assumption.
        destruct (HM o (until T l) s e (Hin l Hl) Hs He') as [_ H2]. specialize (H2 I).
        pose proof (exp_ratio (eps s) (He s)). fold (g (until T l)) in H2.
        fold (g (then_at (until T l) s e)) in H2. nra.
    - exact tt. }
  pose proof (exp_pos v) as V. destruct (Rle_dec x (exp v * y)) as [|N]; [assumption|].
  specialize (Hd ((x - exp v * y) / exp v) ltac:(apply Rdiv_lt_0_compat; lra)).
  rewrite Rmult_plus_distr_l in Hd.
  replace (exp v * ((x - exp v * y) / exp v)) with (x - exp v * y) in Hd by (field; lra).
  assert (0 < (x - exp v * y) / exp v) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.
