(** Every event-level private stream: releases that share noise or a hidden state, or that look at
    earlier answers. The worst TPL over all of them is that of mechanisms which look at the value
    of their own time alone, Tight.v. *)

From TPL Require Export Tight.
From Coq Require Import FunctionalExtensionality.
Open Scope R_scope.

(** ** Definitions *)

Definition in_range (n : nat) (l : path) : Prop := forall s, (l s < n)%nat.

(** The likelihood g l of one output of the whole stream, given the values l^0 .. l^T, is
    event-level private: a change of the value at one time s alone moves it by a factor of at most
    e^(eps_s). *)
Definition event_level (n T : nat) (eps : nat -> R) (g : path -> R) : Prop :=
  forall l s a, in_range n l -> (s <= T)%nat -> (a < n)%nat -> 0 <= g l /\ g l <= exp (eps s) * g
    (then_at l s a).

(** A stream is any randomised function of the whole sequence of values: Pr(output o | values l) =
    M l o. *)
Definition private_stream {O : Type} (n T : nat) (eps : nat -> R) (M : path -> O -> R) : Prop :=
  forall o, event_level n T eps (fun l => M l o).

(** Pr(output, v) and Pr(output | v), the output having the likelihood g. *)
Definition jointly (n : nat) (c : chain) (T : nat) (g : path -> R) (v : knowledge) : R :=
  over_paths n T (fun l => path_probability c T l * (g l * product T v l)).
Definition given (n : nat) (c : chain) (T : nat) (g : path -> R) (v : knowledge) : R :=
  jointly n c T g v / probability n c T v.

(** log (Pr(output | l^t = a) / Pr(output | l^t = b)) <= v for all outputs and all values a, b that
    are possible at time t. *)
Definition stream_leaks_at_most {O : Type} (n : nat) (c : chain) (T : nat) (M : path -> O ->
  R) (t : nat) (v : R) : Prop :=
  forall o a b, (a < n)%nat -> (b < n)%nat -> 0 < probability n c T (value t a) ->
    0 < probability n c T (value t b) ->
  given n c T (fun l => M l o) (value t a) <= exp v * given n c T (fun l => M l o) (value t b).

(** ** Paths *)

Lemma in_range_then n l s a : in_range n l -> (a < n)%nat -> in_range n (then_at l s a).
Proof. intros H Ha r. unfold then_at. destruct (Nat.eqb r s); auto. Qed.

Lemma then_at_twice l s a b : then_at (then_at l s a) s b = then_at l s b.
Proof. extensionality r. unfold then_at. destruct (Nat.eqb r s); reflexivity. Qed.

Lemma then_at_swap l s r a b : s <> r -> then_at (then_at l s a) r b = then_at (then_at l r b) s a.
Proof.
  intros H. extensionality q. unfold then_at. destruct (Nat.eqb_spec q r), (Nat.eqb_spec q s);
    congruence.
Qed.

Lemma then_at_self l s : then_at l s (l s) = l.
Proof. extensionality r. unfold then_at. destruct (Nat.eqb_spec r s) as [->|]; reflexivity. Qed.

Lemma over_paths_sum n t m (f : nat -> path -> R) :
  sum m (fun a => over_paths n t (f a)) = over_paths n t (fun l => sum m (fun a => f a l)).
Proof.
  revert f. induction t as [|t IH]; intros f; simpl; rewrite sum_swap; [reflexivity|].
  apply sum_ext. intros b _. apply (IH (fun a l => f a (then_at l (S t) b))).
Qed.

Lemma over_paths_scale n t x f : over_paths n t (fun l => x * f l) = x * over_paths n t f.
Proof.
  revert f. induction t as [|t IH]; intros f; simpl; rewrite <- sum_scale; apply sum_ext;
    intros b _; [reflexivity|].
  apply (IH (fun l => f (then_at l (S t) b))).
Qed.

Lemma over_paths_ext_in n t f g : (forall l, (forall s, (s <= t)%nat -> (l s < n)%nat) ->
  f l = g l) ->
  over_paths n t f = over_paths n t g.
Proof.
  revert f g. induction t as [|t IH]; intros f g H; simpl; apply sum_ext; intros a Ha.
  - apply H. intros s Hs. replace s with 0%nat by lia. rewrite then_at_same. assumption.
  - apply IH. intros l Hl. apply H. intros s Hs. unfold then_at. destruct (Nat.eqb_spec s (S t));
    [assumption|apply Hl; lia].
Qed.

Lemma product_value t T a l : (t <= T)%nat -> product T (value t a) l = if Nat.eqb (l t) a then 1
  else 0.
Proof.
  intros Ht. assert (H : forall r, product r (value t a) l = if Nat.leb t r then if Nat.eqb (l t) a
    then 1 else 0 else 1).
  { induction r as [|r IH]; simpl product; [|rewrite IH]; unfold value, values.
    - destruct t; simpl; reflexivity.
    - destruct (Nat.leb_spec t r), (Nat.leb_spec t (S r)), (Nat.leb_spec (S r) t); simpl; try lia;
      try ring.
      replace (S r) with t by lia. ring. }
  rewrite H. destruct (Nat.leb_spec t T); [reflexivity|lia].
Qed.

(** ** Means over the values of other times *)

(** The mean of g over the values at the times when(k-1), .., when(0), each given the one before
    it, that at when(k) being a. *)
Fixpoint mean (n : nat) (P : nat -> nat -> nat -> R) (when : nat -> nat) (k : nat) (g : path ->
  R) (a : nat) (l : path) : R :=
  match k with
  | O => g l
  | S s => dot n (P s a) (fun b => mean n P when s g b (then_at l (when s) b))
  end.

(** Event-level privacy at the times when(s), s < k. *)
Definition private_at (n : nat) (when : nat -> nat) (e : nat -> R) (k : nat) (g : path -> R) :
  Prop :=
  forall l, in_range n l -> 0 <= g l /\
  forall s a, (s < k)%nat -> (a < n)%nat -> g l <= exp (e s) * g (then_at l (when s) a).
Definition distinct (when : nat -> nat) (k : nat) : Prop := forall s r, (s < k)%nat ->
  (r < k)%nat -> when s = when r -> s = r.

Lemma mean_le n P when k f g a l : (forall t, stochastic n (P t)) -> (forall l, in_range n l ->
  f l <= g l) ->
  (a < n)%nat -> in_range n l -> mean n P when k f a l <= mean n P when k g a l.
Proof.
  intros HP H. revert a l. induction k as [|k IH]; intros a l Ha Hl; simpl; [auto|].
  apply sum_le. intros b Hb. apply Rmult_le_compat_l; [apply HP; assumption|].
    apply IH; auto using in_range_then.
Qed.

Lemma mean_nonneg n P when k g a l : (forall t, stochastic n (P t)) -> (forall l, in_range n l ->
  0 <= g l) ->
  (a < n)%nat -> in_range n l -> 0 <= mean n P when k g a l.
Proof.
  intros HP H. revert a l. induction k as [|k IH]; intros a l Ha Hl; simpl; [auto|].
  apply dot_nonneg; [apply HP; assumption|]. intros b Hb. apply IH; auto using in_range_then.
Qed.

Lemma mean_scale n P when k x g a l : mean n P when k (fun l => x * g l) a l = x * mean n P when k
  g a l.
Proof.
  revert a l. induction k as [|k IH]; intros a l; simpl; [reflexivity|]. rewrite <- dot_scale.
  apply dot_ext; [reflexivity|]. intros b _. apply IH.
Qed.

(** What is known of a time that is not averaged over stays. *)
Lemma mean_then n P when k g a l r d : (forall s, (s < k)%nat -> when s <> r) ->
  mean n P when k g a (then_at l r d) = mean n P when k (fun l => g (then_at l r d)) a l.
Proof.
  revert a l. induction k as [|k IH]; intros a l H; simpl; [reflexivity|]. apply dot_ext;
    [reflexivity|]. intros b _.
  rewrite <- IH by (intros; apply H; lia). f_equal. apply then_at_swap. intros E.
    apply (H k); auto.
Qed.

Lemma mean_known n P when k g f a l r : (forall s, (s < k)%nat -> when s <> r) ->
  mean n P when k (fun l => g l * f (l r)) a l = mean n P when k g a l * f (l r).
Proof.
  revert a l. induction k as [|k IH]; intros a l H; simpl; [reflexivity|]. unfold dot.
    rewrite <- sum_scale_r.
  apply sum_ext. intros b _. rewrite IH by (intros; apply H; lia).
  rewrite then_at_other by (apply not_eq_sym, H; lia). ring.
Qed.

(** The least of x_0, ..., x_(n-1). *)
Fixpoint least (n : nat) (x : nat -> R) : R := match n with O => x 0%nat | S m => Rmin
  (least m x) (x m) end.

Lemma least_lower n x k : (k < n)%nat -> least n x <= x k.
Proof.
  induction n as [|n IH]; intros H; [lia|]. simpl. destruct (Nat.eq_dec k n) as [->|];
    [apply Rmin_r|].
  eapply Rle_trans; [apply Rmin_l|]. apply IH. lia.
Qed.

Lemma least_attained n x : (0 < n)%nat -> exists k, (k < n)%nat /\ least n x = x k.
Proof.
  intros Hn. assert (H : forall m, (m <= n)%nat -> exists k, (k < n)%nat /\ least m x = x k).
  { induction m as [|m IH]; intros Hm; [exists 0%nat; split; auto|]. destruct IH as [k [Hk E]];
    [lia|]. simpl.
    unfold Rmin. destruct (Rle_dec (least m x) (x m)); [exists k|exists m]; auto. }
  apply H. lia.
Qed.

(** The least over the value of the time r: at most g, at least g but for a factor, and private at
    other times. *)
Definition least_at (n : nat) (g : path -> R) (r : nat) (l : path) : R := least n (fun a =>
  g (then_at l r a)).

Lemma least_at_spec n when e k g : (0 < n)%nat -> distinct when (S k) -> private_at n when e (S k)
  g ->
  let h := least_at n g (when k) in
  private_at n when e k h /\ forall l a, in_range n l -> (a < n)%nat ->
  h l <= g (then_at l (when k) a) /\ g (then_at l (when k) a) <= exp (e k) * h l.
Proof.
  intros Hn Hd Hg h.
  assert (Hbelow : forall l a, (a < n)%nat -> h l <= g (then_at l (when k) a)).
  { intros l a Ha. apply (least_lower n (fun a => g (then_at l (when k) a))). assumption. }
  assert (Hatt : forall l, exists b, (b < n)%nat /\ h l = g (then_at l (when k) b)).
  { intros l. apply (least_attained n (fun a => g (then_at l (when k) a))). assumption. }
  split.
  - intros l Hl. split.
    + destruct (Hatt l) as [b [Hb ->]]. apply Hg. apply in_range_then; assumption.
    + intros s a Hs Ha. destruct (Hatt (then_at l (when s) a)) as [b [Hb ->]].
      eapply Rle_trans; [apply (Hbelow l b Hb)|]. rewrite then_at_swap.
      * apply Hg; auto using in_range_then.
      * intros E. apply Hd in E; lia.
  - intros l a Hl Ha. split; [auto|]. destruct (Hatt l) as [b [Hb ->]].
    rewrite <- (then_at_twice l (when k) a b). apply Hg; auto using in_range_then.
Qed.

(** One side: the sweep bounds what a mean tells of the value from which it starts. At each step
    the likelihood is replaced by the least over the value of that time. *)
Lemma mean_swept n P when e k g l : (0 < n)%nat -> (forall t, stochastic n (P t)) ->
  distinct when (S k) ->
  private_at n when e (S k) g -> in_range n l ->
  exists m, 0 <= m /\ forall c, dot n c (fun a => mean n P when k g a (then_at l (when k) a)) <= m
    * sweep n P e k c.
Proof.
  intros Hn HP. revert g l. induction k as [|k IH]; intros g l Hd Hg Hl.
  - destruct (least_at_spec n when e 0 g Hn Hd Hg) as [Hh H]. set (h := least_at n g (when 0%nat))
    in *.
    exists (h l). split; [apply Hh; assumption|]. intros c. simpl. rewrite <- sum_scale.
      apply sum_le. intros a Ha.
    destruct (H l a Hl Ha). unfold Phi. destruct (Rlt_dec 0 (c a)); nra.
  - destruct (least_at_spec n when e (S k) g Hn Hd Hg) as [Hh H].
    set (h := least_at n g (when (S k))) in *.
    destruct (IH h l) as [m [Hm IHm]]; auto; [intros s q Hs Hq; apply Hd; lia|]. exists m.
      split; [assumption|].
    intros c. simpl sweep. set (c' := Phi (exp (e (S k))) c).
    apply Rle_trans with (dot n c' (fun a => mean n P when (S k) h a l)); [|simpl mean;
      rewrite dot_back; apply IHm].
    apply sum_le. intros a Ha. rewrite mean_then by (intros s Hs E; apply Hd in E; lia).
    assert (L : mean n P when (S k) h a l <= mean n P when (S k) (fun l' =>
      g (then_at l' (when (S k)) a)) a l).
    { apply mean_le; auto. intros l' Hl'. apply H; assumption. }
    assert (U : mean n P when (S k) (fun l' => g (then_at l' (when (S k)) a)) a l <= exp (e (S k))
      * mean n P when (S k) h a l).
    { rewrite <- mean_scale. apply mean_le; auto. intros l' Hl'. apply H; assumption. }
    unfold c', Phi. destruct (Rlt_dec 0 (c a)); nra.
Qed.

Lemma mean_told n P when e k g l i j lambda : (0 < n)%nat -> (forall t, stochastic n (P t)) ->
  distinct when k ->
  private_at n when e k g -> in_range n l -> greatest_before n P e k i j lambda ->
  mean n P when k g i l <= lambda * mean n P when k g j l.
Proof.
  intros Hn HP Hd Hg Hl H. destruct k as [|k]; simpl in H; [subst lambda; simpl; lra|].
  destruct (mean_swept n P when e k g l Hn HP Hd Hg Hl) as [m [_ Hm]].
    specialize (Hm (difference (P k) i j lambda)).
  rewrite H, Rmult_0_r in Hm. simpl.
  enough (E : dot n (difference (P k) i j lambda) (fun a => mean n P when k g a (then_at l (when k)
    a))
    = dot n (P k i) (fun b => mean n P when k g b (then_at l (when k) b))
      - lambda * dot n (P k j) (fun b => mean n P when k g b (then_at l (when k) b))) by lra.
  unfold dot, difference. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros; ring.
Qed.

(** Means keep the condition at the times that are left. *)
Lemma mean_private n P when k g a when' e k' : (forall t, stochastic n (P t)) -> (a < n)%nat ->
  (forall s r, (s < k)%nat -> (r < k')%nat -> when s <> when' r) ->
  private_at n when' e k' g -> private_at n when' e k' (mean n P when k g a).
Proof.
  intros HP Ha Hd Hg l Hl. split.
  - apply mean_nonneg; auto. intros; apply Hg; assumption.
  - intros s b Hs Hb. rewrite mean_then by auto. rewrite <- mean_scale. apply mean_le; auto.
    intros; apply Hg; assumption.
Qed.

(** ** The joint distribution, as means over the future and the past *)

Definition origin : path := fun _ => 0%nat.
Definition to_come (c : chain) (T s : nat) : nat -> nat -> R := forward c (T - S s)%nat.

Lemma over_future n c T k (g : path -> R) : (k <= T)%nat ->
  over_paths n T (fun l => path_probability c T l * g l)
  = over_paths n (T - k) (fun l =>
      path_probability c (T - k) l * mean n (to_come c T) (fun s => (T - s)%nat) k g
        (l (T - k)%nat) l).
Proof.
  induction k as [|k IH]; intros H; [rewrite Nat.sub_0_r; reflexivity|]. rewrite IH by lia.
  replace (T - k)%nat with (S (T - S k)) by lia. simpl over_paths.
  rewrite over_paths_sum. apply over_paths_ext. intros l. simpl mean. unfold dot.
    rewrite <- sum_scale.
  apply sum_ext. intros a _. simpl. rewrite !then_at_same, then_at_other by lia.
  rewrite (path_probability_ext c _ _ l) by (intros; apply then_at_other; lia).
  unfold to_come. replace (T - k)%nat with (S (T - S k)) by lia. ring.
Qed.

Lemma over_past n c B t g j : valid n c -> bayes n c B -> (j < n)%nat ->
  over_paths n t (fun l => path_probability c t l * (g l * if Nat.eqb (l t) j then 1 else 0))
  = marginal n c t j * mean n B (fun s => s) t g j (then_at origin t j).
Proof.
  intros Hc HB. revert g j. induction t as [|t IH]; intros g j Hj; simpl over_paths.
  - rewrite (sum_ext n _ (fun a => if Nat.eqb a j then initial c a * g (then_at origin 0 a)
    else 0)).
    + rewrite (sum_single n j (fun a => initial c a * g (then_at origin 0 a))) by assumption.
      unfold marginal, nothing. simpl. ring.
    + intros a _. simpl. rewrite then_at_same. fold origin. destruct (Nat.eqb a j); ring.
  - set (G := fun l => g (then_at l (S t) j)).
    transitivity (over_paths n t (fun l => path_probability c t l * (forward c t (l t) j * G l))).
    + rewrite (sum_ext n _ (fun a => if Nat.eqb a j then
        over_paths n t (fun l => path_probability c t l * (forward c t (l t) a * g (then_at l (S t)
          a))) else 0)).
      * apply (sum_single n j (fun a => over_paths n t (fun l => path_probability c t l *
          (forward c t (l t) a * g (then_at l (S t) a))))). assumption.
      * intros a _. destruct (Nat.eqb_spec a j) as [E|E].
        -- apply over_paths_ext. intros l. simpl. rewrite !then_at_same, then_at_other by lia.
           rewrite (path_probability_ext c t _ l) by (intros; apply then_at_other; lia).
             rewrite E, Nat.eqb_refl. ring.
        -- rewrite (over_paths_ext n t _ (fun _ => 0 * 0)); [rewrite over_paths_scale; ring|].
          intros l.
           rewrite then_at_same. destruct (Nat.eqb_spec a j); [contradiction|ring].
    + simpl mean. unfold dot. rewrite <- sum_scale.
      transitivity (sum n (fun b => over_paths n t (fun l =>
        forward c t b j * (path_probability c t l * (G l * if Nat.eqb (l t) b then 1 else 0))))).
      * rewrite over_paths_sum. apply over_paths_ext_in. intros l Hl.
        rewrite (sum_ext n _ (fun b => if Nat.eqb b (l t) then path_probability c t l *
          (forward c t b j * G l) else 0)).
        -- symmetry. apply (sum_single n (l t) (fun b => path_probability c t l * (forward c t b j
          * G l))). auto.
        -- intros b _. rewrite Nat.eqb_sym. destruct (Nat.eqb b (l t)); ring.
      * apply sum_ext. intros b Hb. rewrite over_paths_scale, IH by assumption.
        pose proof (proj2 HB t b j Hb Hj) as E. rewrite !marginal_probability in E by (auto; lia).
        rewrite then_at_swap, (mean_then n B (fun s => s) t g b (then_at origin t b) (S t) j)
          by (intros; lia). fold G.
        rewrite <- !Rmult_assoc, E. ring.
Qed.

Lemma jointly_mean n c T B g t j : valid n c -> bayes n c B -> (t <= T)%nat -> (j < n)%nat ->
  jointly n c T g (value t j) = probability n c T (value t j)
    * mean n B (fun s => s) t (mean n (to_come c T) (fun s => (T - s)%nat) (T - t) g j) j
      (then_at origin t j).
Proof.
  intros Hc HB Ht Hj. unfold jointly.
  rewrite (over_paths_ext n T _ (fun l => path_probability c T l * (g l * if Nat.eqb (l t) j then 1
    else 0)))
    by (intros; rewrite product_value by assumption; reflexivity).
  rewrite (over_future n c T (T - t)), marginal_probability by (auto; lia).
    replace (T - (T - t))%nat with t by lia.
  rewrite <- over_past by assumption. apply over_paths_ext. intros l.
  rewrite (mean_known n _ _ _ g (fun d => if Nat.eqb d j then 1 else 0)) by (intros; lia).
  destruct (Nat.eqb_spec (l t) j) as [->|]; ring.
Qed.

Lemma given_mean n c T B g t j : valid n c -> bayes n c B -> (t <= T)%nat -> (j < n)%nat ->
  0 < probability n c T (value t j) ->
  given n c T g (value t j)
  = mean n B (fun s => s) t (mean n (to_come c T) (fun s => (T - s)%nat) (T - t) g j) j
    (then_at origin t j).
Proof. intros Hc HB Ht Hj Hp. unfold given. rewrite (jointly_mean n c T B) by assumption. field.
  lra. Qed.

(** ** The joint theorem *)

(** For two values that are possible at time t no event-level private stream tells them apart by
    more than e^(eps_t) B_t(j,k) F_t(j,k). *)
Theorem joint_TPL {O : Type} n c B eps T (M : path -> O -> R) t j k lambda mu o :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private_stream n T eps M -> (t <= T)%nat ->
    (j < n)%nat -> (k < n)%nat ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) ->
  greatest_before n B eps t j k lambda -> greatest_after n (forward c) eps T t j k mu ->
  given n c T (fun l => M l o) (value t j) <= exp (eps t) * lambda * mu * given n c T (fun l =>
    M l o) (value t k).
Proof.
  intros Hc HB He HM Ht Hj Hk Pj Pk Hl Hm. assert (Hn : (0 < n)%nat) by lia. specialize (HM o).
    cbv beta in HM.
  set (g := fun l => M l o) in *. rewrite !(given_mean n c T B) by assumption.
  set (after := mean n (to_come c T) (fun s => (T - s)%nat) (T - t)).
    set (before := mean n B (fun s => s) t).
  set (G := fun l => g (then_at l t k)).
  assert (H0 : in_range n origin) by (intros s; exact Hn).
  assert (HF : forall s, stochastic n (to_come c T s)) by (intros s; apply Hc).
  assert (HG : forall l, in_range n l -> 0 <= G l) by (intros l Hl';
    apply (HM (then_at l t k) t k); auto using in_range_then).
  assert (Hafter : forall a l, after g a (then_at l t k) = after G a l) by (intros;
    apply mean_then; intros; lia).
  assert (Hsame : forall a b l, after G a (then_at l t b) = after G a l).
  { intros a b l. unfold after. rewrite mean_then by (intros; lia). f_equal. extensionality l'.
    unfold G.
    rewrite then_at_twice. reflexivity. }
  assert (Hbefore : forall a b, before (after G a) b (then_at origin t b) = before (after G a) b
    origin).
  { intros a b. unfold before. rewrite mean_then by (intros; lia). f_equal. extensionality l.
    apply Hsame. }
  assert (Hk' : before (after g k) k (then_at origin t k) = before (after G k) k origin).
  { unfold before. rewrite mean_then by (intros; lia). f_equal. extensionality l. apply Hafter. }
  rewrite Hk'. apply Rle_trans with (exp (eps t) * before (after G j) j (then_at origin t j)).
  { unfold before. rewrite <- mean_scale. apply mean_le; auto using in_range_then; [apply HB|].
    intros l Hl'.
    unfold after. rewrite <- mean_scale. apply mean_le; auto. intros l' Hl''. apply HM; auto. }
  rewrite Hbefore. replace (exp (eps t) * lambda * mu * before (after G k) k origin)
    with (exp (eps t) * (lambda * (mu * before (after G k) k origin))) by ring.
  apply Rmult_le_compat_l; [left; apply exp_pos|].
  assert (Hat : forall when e m, (forall s, (s < m)%nat -> (when s <= T)%nat /\ when s <> t /\
    e s = eps (when s)) ->
    private_at n when e m G).
  { intros when e m H l Hl'. split; [auto|]. intros s a Hs Ha. destruct (H s Hs) as [H1 [H2 ->]].
    unfold G. rewrite then_at_swap by assumption. apply HM; auto using in_range_then. }
  eapply Rle_trans.
  - apply (mean_told n B (fun s => s) eps t (after G j) origin j k lambda Hn (proj1 HB)); auto.
    + intros s r _ _ E. exact E.
    + apply mean_private; auto; [intros; lia|]. apply Hat. intros. repeat split; lia.
  - assert (Hlambda : 0 <= lambda).
    { destruct (greatest_before_exists n B eps t j k (proj1 HB) He Hj Hk) as [x [Hx E]].
      rewrite (greatest_before_unique n B eps t j k lambda x (proj1 HB) He Hj Hk Hl E). lra. }
    apply Rmult_le_compat_l; [assumption|]. unfold before. rewrite <- mean_scale. apply mean_le;
      auto; [apply HB|].
    intros l Hl'. apply (mean_told n (to_come c T) (fun s => (T - s)%nat) (turned T eps)); auto.
    + intros s r Hs Hr E. lia.
    + apply Hat. intros s Hs. unfold turned. repeat split; lia.
Qed.
