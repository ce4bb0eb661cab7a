(** Which streams there are: those of mechanisms that look at the value of their own time, and at
    earlier outputs; one side alone, BPL and FPL; and adversaries who do not know which chain it
    is. *)

From TPL Require Export Joint.
From Coq Require Import FunctionalExtensionality.
Open Scope R_scope.

(** ** Definitions *)

(** What mechanisms publish, each looking at the value of its own time alone, as one stream: its
    outputs are r^0 .. r^T. *)
Definition local_stream {O : Type} (T : nat) (M : nat -> nat -> O -> R) (l : path) (r : nat -> O) :
  R :=
  product T (outputs M r 0 T) l.

(** Mechanisms that also look at earlier outputs: Pr(r^t = o | l^t = a, the outputs before t are
    those of r) = M t r a o; each is eps_t-differentially private whatever was published. *)
Definition adaptive {O : Type} (n : nat) (eps : nat -> R) (M : nat -> (nat -> O) -> nat -> O ->
  R) : Prop :=
  (forall t r r' a o, (forall s, (s < t)%nat -> r s = r' s) -> M t r a o = M t r' a o) /\
  forall t r a b o, (a < n)%nat -> (b < n)%nat -> 0 <= M t r a o /\ M t r a o <= exp (eps t) * M t
    r b o.
Definition adaptive_stream {O : Type} (T : nat) (M : nat -> (nat -> O) -> nat -> O -> R) (l :
  path) (r : nat -> O) : R :=
  product T (fun s a => M s r a (r s)) l.

(** The sum over all outputs o^0 .. o^(t-1) below m, those from time t on being r. *)
Fixpoint over_earlier (m t : nat) (f : (nat -> nat) -> R) (r : nat -> nat) : R :=
  match t with
  | O => f r
  | S s => sum m (fun o => over_earlier m s f (then_at r s o))
  end.

(** The likelihood of the outputs from time t on, the earlier ones being summed over: what FPL_t is
    about. *)
Definition later_outputs (m t : nat) (M : path -> (nat -> nat) -> R) (l : path) (r : nat -> nat) :
  R :=
  over_earlier m t (M l) r.

(** The adversary does not know which of m chains it is, but with which probabilities: Pr(output |
    v), Pr(chain i | v). *)
Definition over_chains (n m : nat) (prior : nat -> R) (c : nat -> chain) (T : nat) (v : knowledge)
  : R :=
  sum m (fun i => prior i * probability n (c i) T v).
Definition given_mixture (n m : nat) (prior : nat -> R) (c : nat -> chain) (T : nat) (g : path ->
  R) (v : knowledge) : R :=
  sum m (fun i => prior i * jointly n (c i) T g v) / over_chains n m prior c T v.
Definition posterior (n m : nat) (prior : nat -> R) (c : nat -> chain) (T i : nat) (v : knowledge)
  : R :=
  prior i * probability n (c i) T v / over_chains n m prior c T v.

(** ** Mechanisms, with and without a look at earlier outputs, are streams *)

Lemma product_private n T eps w : (forall s a b, (s <= T)%nat -> (a < n)%nat -> (b < n)%nat ->
  0 <= w s a /\ w s a <= exp (eps s) * w s b) -> event_level n T eps (product T w).
Proof.
  intros Hw l s a Hl Hs Ha.
  assert (H : forall m, (m <= T)%nat -> 0 <= product m w l /\
    product m w l <= (if Nat.leb s m then exp (eps s) else 1) * product m w (then_at l s a)).
  { induction m as [|m IH]; intros Hm; simpl product.
    - destruct (Hw 0%nat (l 0%nat) a) as [W0 W]; auto; try lia. split; [assumption|].
      unfold then_at. destruct s; simpl; lra.
    - destruct IH as [I0 I]; [lia|]. destruct (Hw (S m) (l (S m)) a) as [W0 W]; auto.
      split; [apply Rmult_le_pos; assumption|].
      destruct (Nat.leb_spec s m), (Nat.leb_spec s (S m)); try lia.
      + rewrite then_at_other by lia. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; assumption.
      + assert (s = S m) by lia. subst s. rewrite then_at_same.
        rewrite (product_ext m w (then_at l (S m) a) l) by (intros; apply then_at_other; lia).
        replace (exp (eps (S m)) * (product m w l * w (S m) a))
          with (product m w l * (exp (eps (S m)) * w (S m) a)) by ring.
        apply Rmult_le_compat_l; assumption.
      + rewrite then_at_other by lia. rewrite <- Rmult_assoc. apply Rmult_le_compat_r;
        assumption. }
  specialize (H T (le_n T)). destruct (Nat.leb_spec s T); [exact H|lia].
Qed.

Lemma given_local n c T w v : given n c T (product T w) v = conditional n c T w v.
Proof.
  unfold given, conditional, jointly, probability. f_equal. apply over_paths_ext. intros l.
    f_equal.
  induction T as [|T IH]; simpl; [reflexivity|]. rewrite <- IH. unfold both. ring.
Qed.

Lemma local_is_private {O : Type} n T eps (M : nat -> nat -> O -> R) : private n eps M ->
  private_stream n T eps (local_stream T M).
Proof.
  intros HM r. apply product_private. intros s a b Hs Ha Hb. unfold outputs.
  destruct (Nat.leb_spec s T); [|lia]. simpl. apply HM; assumption.
Qed.

(** Exactly: randomized responses to which the answer is always yes, each looking at the value of
    its own time alone, are such a stream, and attain it. *)
Theorem joint_TPL_attained n c B eps T t j k lambda mu :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> (t <= T)%nat -> (j < n)%nat ->
    (k < n)%nat -> j <> k ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) ->
  greatest_before n B eps t j k lambda -> greatest_after n (forward c) eps T t j k mu ->
  let M := local_stream T (randomized_response eps (worst_sets n B (forward c) eps T t j k lambda
    mu)) in
  private_stream n T eps M /\
  given n c T (fun l => M l (fun _ => true)) (value t j)
  = exp (eps t) * lambda * mu * given n c T (fun l => M l (fun _ => true)) (value t k) /\
  0 < given n c T (fun l => M l (fun _ => true)) (value t k).
Proof.
  intros Hc HB He Ht Hj Hk Hjk Pj Pk Hl Hm M.
  destruct (tight_TPL_attained n c B eps T t j k lambda mu) as [H1 [H2 H3]]; auto.
  split; [apply local_is_private; exact H1|]. unfold M, local_stream. rewrite !given_local.
    split; assumption.
Qed.

Theorem adaptive_is_joint {O : Type} n T eps (M : nat -> (nat -> O) -> nat -> O -> R) :
  adaptive n eps M -> private_stream n T eps (adaptive_stream T M).
Proof. intros [_ HM] r. apply product_private. intros s a b _ Ha Hb. apply HM; assumption. Qed.

(** ** One side *)

Lemma mean_nothing n P when k g a l : (forall t, stochastic n (P t)) -> (a < n)%nat ->
  (forall l s b, (s < k)%nat -> g (then_at l (when s) b) = g l) -> mean n P when k g a l = g l.
Proof.
  intros HP. revert a l. induction k as [|k IH]; intros a l Ha H; simpl; [reflexivity|].
  rewrite (dot_ext n _ _ (P k a) (fun _ => g l)); [apply dot_const; apply HP;
    assumption|reflexivity|].
  intros b Hb. rewrite IH by auto. apply H. lia.
Qed.

(** BPL_t, of a stream whose outputs up to time t are not about later values: with T for t it is
    TPL_t. *)
Theorem joint_BPL {O : Type} n c B eps T (M : path -> O -> R) t j k lambda o :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private_stream n t eps M -> (t <= T)%nat ->
    (j < n)%nat -> (k < n)%nat ->
  (forall l s a o, (t < s)%nat -> M (then_at l s a) o = M l o) ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) -> greatest_before n B eps
    t j k lambda ->
  given n c T (fun l => M l o) (value t j) <= exp (eps t) * lambda * given n c T (fun l => M l o)
    (value t k).
Proof.
  intros Hc HB He HM Ht Hj Hk Hcausal Pj Pk Hl.
  assert (E : forall a, (a < n)%nat -> 0 < probability n c T (value t a) ->
    given n c T (fun l => M l o) (value t a) = given n c t (fun l => M l o) (value t a)).
  { intros a Ha Pa. rewrite (given_mean n c T B), (given_mean n c t B) by (auto;
    rewrite marginal_probability in * by auto; assumption).
    rewrite Nat.sub_diag. f_equal. extensionality l. apply mean_nothing; auto; [intros; apply Hc|].
    intros l' s b Hs. apply Hcausal. lia. }
  rewrite !E by assumption. rewrite <- (Rmult_1_r (exp (eps t) * lambda)).
  apply (joint_TPL n c B eps t M t j k lambda 1); auto.
  - rewrite marginal_probability in * by auto. assumption.
  - rewrite marginal_probability in * by auto. assumption.
  - unfold greatest_after. rewrite Nat.sub_diag. reflexivity.
Qed.

Lemma later_private n T eps m t (M : path -> (nat -> nat) -> R) :
  private_stream n T eps M -> private_stream n T eps (later_outputs m t M).
Proof.
  intros HM r l s a Hl Hs Ha. unfold later_outputs. revert r. induction t as [|t IH]; intros r;
    simpl; [apply HM; assumption|].
  split; [apply sum_nonneg; intros; apply IH|]. rewrite <- sum_scale. apply sum_le. intros o _.
    apply IH.
Qed.

(** FPL_t, of the outputs from time t on: at most what bounds TPL_t, for a release may repeat what
    was published; *)
Theorem joint_FPL n c B eps T m (M : path -> (nat -> nat) -> R) t j k lambda mu r :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private_stream n T eps M -> (t <= T)%nat ->
    (j < n)%nat -> (k < n)%nat ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) ->
  greatest_before n B eps t j k lambda -> greatest_after n (forward c) eps T t j k mu ->
  given n c T (fun l => later_outputs m t M l r) (value t j)
  <= exp (eps t) * lambda * mu * given n c T (fun l => later_outputs m t M l r) (value t k).
Proof. intros. apply joint_TPL with B; auto. apply later_private. assumption. Qed.

(** Mechanisms of the outputs 0 and 1 that ask about sets, by randomized response; that at time t
    answers yes if it does so itself and all before it did. *)
Fixpoint yes_before (t : nat) (r : nat -> nat) : bool :=
  match t with O => true | S s => (Nat.eqb (r s) 1 && yes_before s r)%bool end.
Definition repeating (eps : nat -> R) (sets : nat -> set) (t s : nat) (r : nat -> nat) (a o :
  nat) : R :=
  if (Nat.eqb s t && negb (yes_before t r))%bool then if Nat.eqb o 1 then 0 else 1
  else randomized_response eps sets s a (Nat.eqb o 1).

Lemma yes_before_same t r r' : (forall s, (s < t)%nat -> r s = r' s) -> yes_before t r = yes_before
  t r'.
Proof. induction t as [|t IH]; intros H; simpl; [reflexivity|]. rewrite IH, H by auto. reflexivity.
  Qed.

Lemma yes_before_true t r : yes_before t r = true <-> forall s, (s < t)%nat -> r s = 1%nat.
Proof.
  induction t as [|t IH]; simpl; [split; [intros; lia|reflexivity]|]. rewrite andb_true_iff, IH,
    Nat.eqb_eq. split.
  - intros [H1 H2] s Hs. destruct (Nat.eq_dec s t) as [->|]; [assumption|apply H2; lia].
  - intros H. split; [apply H; lia|intros; apply H; lia].
Qed.

Lemma repeating_adaptive n eps sets t : (forall t, 0 <= eps t) ->
  adaptive n eps (repeating eps sets t).
Proof.
  intros He. split.
  - intros s r r' a o H. unfold repeating. destruct (Nat.eqb_spec s t) as [->|]; [|reflexivity].
    rewrite (yes_before_same t r r') by assumption. reflexivity.
  - intros s r a b o Ha Hb. unfold repeating. pose proof (exp_ratio (eps s) (He s)).
    destruct (_ && _)%bool; [destruct (Nat.eqb o 1); lra|].
      apply (randomized_response_private n eps sets He); assumption.
Qed.

Lemma over_earlier_zero m t f r : (forall r', (forall s, (t <= s)%nat -> r' s = r s) -> f r' = 0)
  -> over_earlier m t f r = 0.
Proof.
  revert r. induction t as [|t IH]; intros r H; simpl; [apply H; auto|].
  rewrite (sum_ext m _ (fun _ => 0)); [apply sum_zero|]. intros o _. apply IH. intros r' Hr.
    apply H. intros s Hs.
  rewrite Hr by lia. apply then_at_other. lia.
Qed.

Lemma over_earlier_ones t f : (forall r, (forall s, (t <= s)%nat -> r s = 1%nat) ->
  (exists s, (s < t)%nat /\ r s <> 1%nat) -> f r = 0) ->
  over_earlier 2 t f (fun _ => 1%nat) = f (fun _ => 1%nat).
Proof.
  induction t as [|t IH]; intros H; [reflexivity|]. simpl.
  rewrite (over_earlier_zero 2 t f (then_at (fun _ => 1%nat) t 0)).
  - rewrite (then_at_self (fun _ => 1%nat) t), IH; [ring|]. intros r Hr [s [Hs Hs']].
    apply H; [intros; apply Hr; lia|]. exists s. split; [lia|assumption].
  - intros r Hr. apply H; [intros s Hs; rewrite Hr, then_at_other by lia; reflexivity|].
    exists t. split; [lia|]. rewrite Hr, then_at_same by lia. lia.
Qed.

Lemma product_same T w v l : (forall s, (s <= T)%nat -> w s (l s) = v s (l s)) ->
  product T w l = product T v l.
Proof. induction T as [|T IH]; intros H; simpl; [auto|]. rewrite IH, H by auto. reflexivity. Qed.

Lemma product_zero T w l t : (t <= T)%nat -> w t (l t) = 0 -> product T w l = 0.
Proof.
  intros Ht H. induction T as [|T IH]; simpl; [replace 0%nat with t by lia; assumption|].
  destruct (Nat.eq_dec t (S T)) as [<-|]; [rewrite H; ring|]. rewrite IH by lia. ring.
Qed.

(** and it is attained by mechanisms that look at earlier outputs, of two outputs each: the worst
    FPL_t as it is worded, over these, is the worst TPL_t. *)
Theorem adaptive_FPL_attained n c B eps T t j k lambda mu :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> (t <= T)%nat -> (j < n)%nat ->
    (k < n)%nat -> j <> k ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) ->
  greatest_before n B eps t j k lambda -> greatest_after n (forward c) eps T t j k mu ->
  exists M, adaptive n eps M /\ (forall s r a, M s r a 0%nat + M s r a 1%nat = 1) /\
  let later := fun l => later_outputs 2 t (adaptive_stream T M) l (fun _ => 1%nat) in
  given n c T later (value t j) = exp (eps t) * lambda * mu * given n c T later (value t k) /\
  0 < given n c T later (value t k).
Proof.
  intros Hc HB He Ht Hj Hk Hjk Pj Pk Hl Hm.
  destruct (tight_TPL_attained n c B eps T t j k lambda mu) as [H1 [H2 H3]]; auto.
  set (sets := worst_sets n B (forward c) eps T t j k lambda mu) in *.
    exists (repeating eps sets t).
  split; [apply repeating_adaptive; assumption|]. split.
  - intros s r a. unfold repeating. destruct (_ && _)%bool; simpl; [ring|].
    pose proof (randomized_response_probabilities eps sets s a) as [_ [_ H]]. lra.
  - intros later. assert (E : later = product T (outputs (randomized_response eps sets) (fun _ =>
    true) 0 T)).
    { extensionality l. unfold later, later_outputs. rewrite over_earlier_ones.
      - unfold adaptive_stream. apply product_same. intros s Hs. unfold repeating, outputs.
        destruct (Nat.leb_spec s T); [|lia]. rewrite (proj2 (yes_before_true t (fun _ => 1%nat)))
          by reflexivity.
        rewrite andb_false_r. reflexivity.
      - intros r Hlast [s [Hs Hr]]. unfold adaptive_stream. apply product_zero with t;
        [assumption|]. unfold repeating.
        rewrite Nat.eqb_refl. destruct (yes_before t r) eqn:F; simpl.
        + exfalso. apply Hr. apply (proj1 (yes_before_true t r) F). assumption.
        + rewrite (Hlast t (le_n t)). reflexivity. }
    rewrite E, !given_local. split; assumption.
Qed.

(** ** Not knowing which chain it is *)

(** Against an adversary who holds several chains possible, with probabilities: what a stream tells
    apart against those who are certain of chain i, e^(v_i), times what the values tell of the
    chain, at most u; the greatest such product over the chains bounds what it tells apart. *)
Theorem mixture_rule {O : Type} n m prior c T eps (M : path -> O -> R) t v u j k o :
  (forall i, (i < m)%nat -> 0 <= prior i /\ valid n (c i)) -> private_stream n T eps M ->
    (t <= T)%nat ->
  (j < n)%nat -> (k < n)%nat ->
  (forall i, (i < m)%nat -> 0 < probability n (c i) T (value t j) -> 0 < probability n (c i) T
    (value t k) ->
   given n (c i) T (fun l => M l o) (value t j) <= exp (v i) * given n (c i) T (fun l => M l o)
     (value t k)) ->
  (forall i, (i < m)%nat -> exp (v i) * posterior n m prior c T i (value t j) <= u * posterior n m
    prior c T i (value t k)) ->
  0 < over_chains n m prior c T (value t j) -> 0 < over_chains n m prior c T (value t k) ->
  given_mixture n m prior c T (fun l => M l o) (value t j)
  <= u * given_mixture n m prior c T (fun l => M l o) (value t k).
Proof.
  intros Hc HM Ht Hj Hk Hv Hu Pj Pk. set (g := fun l => M l o). assert (Hn : (0 < n)%nat) by lia.
  assert (Hp : forall i a, (i < m)%nat -> (a < n)%nat -> 0 <= probability n (c i) T (value t a)).
  { intros i a Hi Ha. destruct (Hc i Hi) as [_ H]. rewrite marginal_probability by auto.
    apply marginal_nonneg; auto. }
  assert (Hone : forall i a, (i < m)%nat -> (a < n)%nat -> jointly n (c i) T g (value t a)
    = probability n (c i) T (value t a) * given n (c i) T g (value t a) /\
    (0 < probability n (c i) T (value t a) -> 0 <= given n (c i) T g (value t a))).
  { intros i a Hi Ha. destruct (Hc i Hi) as [_ H]. pose proof (bayes_rule n (c i) Hn H) as HB.
    destruct (Hp i a Hi Ha) as [Hpos|Hzero].
    - split; [unfold given; field; lra|]. intros _.
      rewrite (given_mean n (c i) T _ g t a H HB Ht Ha Hpos).
      assert (H0 : in_range n origin) by (intros s; exact Hn).
      apply mean_nonneg; auto using in_range_then; [apply HB|]. intros l Hl. apply mean_nonneg;
        auto; [intros; apply H|].
      intros l' Hl'. apply (HM o l' t a); assumption.
    - split; [|lra]. rewrite (jointly_mean n (c i) T _ g t a H HB Ht Ha), <- Hzero. ring. }
  unfold given_mixture, Rdiv. rewrite <- !sum_scale_r, <- sum_scale. apply sum_le. intros i Hi.
  specialize (Hu i Hi). destruct (Hc i Hi) as [Hprior _]. pose proof (Hp i j Hi Hj) as Pij.
    pose proof (Hp i k Hi Hk) as Pik.
  destruct (Hone i j Hi Hj) as [-> Nj]. destruct (Hone i k Hi Hk) as [-> Nk].
  unfold posterior, Rdiv in Hu. set (zj := over_chains n m prior c T (value t j)) in *.
  set (zk := over_chains n m prior c T (value t k)) in *.
  assert (Zj : 0 < / zj) by (apply Rinv_0_lt_compat; assumption).
    assert (Zk : 0 < / zk) by (apply Rinv_0_lt_compat; assumption).
  set (pj := probability n (c i) T (value t j)) in *. set (pk := probability n (c i) T (value t k))
    in *.
  set (gj := given n (c i) T g (value t j)) in *. set (gk := given n (c i) T g (value t k)) in *.
  pose proof (exp_pos (v i)) as V0.
  destruct Hprior as [Hprior|<-]; [|lra].
  replace (u * (prior i * (pk * gk) * / zk)) with (u * (prior i * pk * / zk) * gk) by ring.
  destruct Pij as [Pij|<-].
  - assert (H0 : 0 < prior i * pj * / zj) by (repeat apply Rmult_lt_0_compat; assumption).
    assert (0 < exp (v i) * (prior i * pj * / zj)) by (apply Rmult_lt_0_compat; assumption).
    assert (Pik' : 0 < pk).
    { destruct Pik as [|E]; [assumption|exfalso]. rewrite <- E in Hu. lra. }
    pose proof (Hv i Hi Pij Pik') as Hvi. fold g gj gk in Hvi. specialize (Nk Pik').
    apply Rle_trans with (exp (v i) * (prior i * pj * / zj) * gk); [|apply Rmult_le_compat_r;
      assumption].
    replace (prior i * (pj * gj) * / zj) with (prior i * pj * / zj * gj) by ring.
    replace (exp (v i) * (prior i * pj * / zj) * gk) with (prior i * pj * / zj * (exp (v i) * gk))
      by ring.
    apply Rmult_le_compat_l; lra.
  - rewrite !Rmult_0_l, Rmult_0_r, Rmult_0_l. rewrite Rmult_0_r, Rmult_0_l, Rmult_0_r in Hu.
    destruct Pik as [Pik|<-]; [|lra]. apply Rmult_le_pos; [assumption|auto].
Qed.
