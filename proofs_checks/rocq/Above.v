(** The check from above: what it tests of a pair of values and a time bounds every stream. Over
    the real numbers; that its doubles lie above those is in Doubles.v, that its integers do in
    Integers.v. *)

From TPL Require Export Streams.
Open Scope R_scope.

(** ** Definitions *)

(** What is tested of the values j and k of time t, for B_t(j,k) <= lambda. The check carries up s,
    at or above the sweep's c at time s, on a scale of its own, from time t - 1 back to a time
      last;
    e s is at or above e^(eps_s). At last, e is at or above what all releases up to then do to the
    odds of any two values, which earlier checks prove: at time 0 that is e^(eps_0). The check ends
    where W is at most 0, or all entries of up are. *)
Definition tested (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t j k : nat) (lambda :
  R) : Prop :=
  match t with
  | O => 1 <= lambda
  | S p => exists last up e scale,
    (last <= p)%nat /\
    (forall a b odds, (a < n)%nat -> (b < n)%nat -> a <> b ->
       greatest_before n B eps last a b odds -> exp (eps last) * odds <= e last) /\
    (forall s, (last < s <= p)%nat -> exp (eps s) <= e s) /\
    (forall a, (a < n)%nat -> difference (B p) j k lambda a <= up p a) /\
    (forall s, 0 < scale s) /\
    (forall s a, (last <= s < p)%nat -> (a < n)%nat ->
       scale s * back n (B s) (Phi (e (S s)) (up (S s))) a <= up s a) /\
    (sum n (Phi (e last) (up last)) <= 0 \/
     exists s, (last <= s <= p)%nat /\ forall a, (a < n)%nat -> up s a <= 0)
  end.
Definition tested_after n (F : nat -> nat -> nat -> R) eps (T t j k : nat) (mu : R) : Prop :=
  tested n (fun s => F (T - S s)%nat) (turned T eps) (T - t) j k mu.

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

Lemma tested_before n B eps t j k lambda w : (forall t, stochastic n (B t)) -> (forall t,
  0 <= eps t) -> bounded_by n eps w -> (j < n)%nat -> (k < n)%nat -> j <> k ->
  tested n B eps t j k lambda -> before n B w t j <= lambda * before n B w t k.
Proof.
  intros HB He Hw Hj Hk Hjk H. assert (Hn : (0 < n)%nat) by lia. destruct t as [|p]; [simpl in *;
    lra|].
  destruct H as [last [up [e [scale [Hlast [Hodds [Hexp [Hup [Hscale [Hstep Hend]]]]]]]]]].
  assert (Hw0 : forall s b, (b < n)%nat -> 0 <= w s b) by (intros s b Hb; apply (Hw s b b Hb Hb)).
  assert (L0 : forall s a, (a < n)%nat -> 0 <= likelihood n B w s a) by
    (intros; apply likelihood_nonneg; auto).
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
  assert (Hbelow : forall s, (forall a, (a < n)%nat -> up s a <= 0) ->
    dot n (up s) (likelihood n B w s) <= 0).
  { intros s Hs. unfold dot. rewrite <- (sum_zero n). apply sum_le. intros a Ha.
    specialize (Hs a Ha). specialize (L0 s a Ha). nra. }
  assert (Hgo : forall s, (last <= s < p)%nat -> dot n (up s) (likelihood n B w s) <= 0 ->
    dot n (up (S s)) (likelihood n B w (S s)) <= 0).
  { intros s Hs H. assert (HE : exp (eps (S s)) <= e (S s)) by (apply Hexp; lia).
    destruct (Phi_bound n (e (S s)) (w (S s)) (fun a => dot n (B s a) (likelihood n B w s)) Hn) as
      [m [Hm Hbound]].
    - intros a b Ha Hb. destruct (Hw (S s) a b Ha Hb). split; [assumption|].
      eapply Rle_trans; [eassumption|]. apply Rmult_le_compat_r; auto.
    - intros a Ha. apply dot_nonneg; [apply HB; assumption|auto].
    - simpl likelihood. eapply Rle_trans; [apply Hbound|]. rewrite dot_back.
      set (c := back n (B s) (Phi (e (S s)) (up (S s)))).
      assert (scale s * dot n c (likelihood n B w s) <= 0).
      { eapply Rle_trans; [|exact H]. unfold dot. rewrite <- sum_scale. apply sum_le. intros a Ha.
        rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [auto|]. apply Hstep; assumption. }
      specialize (Hscale s). assert (dot n c (likelihood n B w s) <= 0) by nra. nra. }
  assert (Hreach : forall d s, (last <= s)%nat -> (s + d <= p)%nat ->
    dot n (up s) (likelihood n B w s) <= 0 -> dot n (up (s + d)%nat) (likelihood n B w (s + d))
      <= 0).
  { induction d as [|d IH]; intros s H1 H2 H; [rewrite Nat.add_0_r; assumption|].
    rewrite Nat.add_succ_r. apply Hgo; [lia|]. apply IH; auto; lia. }
  assert (Hp : dot n (up p) (likelihood n B w p) <= 0).
  { destruct Hend as [H|[s [Hs H]]].
    - replace p with (last + (p - last))%nat by lia. apply Hreach; try lia.
      destruct (Phi_bound n (e last) (likelihood n B w last) (fun _ => 1) Hn Hfar) as [m [Hm
        Hbound]].
      { intros; lra. }
      specialize (Hbound (up last)). unfold dot in Hbound |- *.
      rewrite (sum_ext n (fun j => up last j * likelihood n B w last j) (fun j => up last j *
        (likelihood n B w last j * 1))) by (intros; ring).
      eapply Rle_trans; [exact Hbound|]. rewrite (sum_ext n _ (Phi (e last) (up last))) by
        (intros; ring). nra.
    - replace p with (s + (p - s))%nat by lia. apply Hreach; try lia. auto. }
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

(** ** Both sides *)

(** Where each pair is tested on both sides, for lambda and mu whose product with e^(eps_t) is at
    most e^v, TPL_t of every event-level private stream is at most v. *)
Theorem tested_TPL {O : Type} n c B eps T (M : path -> O -> R) t v :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private_stream n T eps M -> (t <= T)%nat ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> exists lambda mu,
     tested n B eps t j k lambda /\ tested_after n (forward c) eps T t j k mu /\
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
  assert (HF : forall s, stochastic n (forward c (T - S s)%nat)) by (intros s; apply Hc).
  assert (HT : forall s, 0 <= turned T eps s) by (intros s; apply He).
  destruct (greatest_before_exists n (fun s => forward c (T - S s)%nat) (turned T eps) (T - t) a b
    HF HT Ha Hb) as [y [Hy Ey]].
  pose proof (tested_bound n B eps t a b lambda x (proj1 HB) He Ha Hb Hab Hl Ex).
  pose proof (tested_bound n _ (turned T eps) (T - t) a b mu y HF HT Ha Hb Hab Hm Ey).
  eapply Rle_trans; [apply (joint_TPL n c B eps T M t a b x y o); auto|].
  apply Rmult_le_compat_r; [assumption|]. eapply Rle_trans; [|exact Hprod].
  pose proof (exp_pos (eps t)). rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_compat; lra.
Qed.
