(** Temporal privacy leakage as it is defined, from the joint distribution of a user's values and
    the outputs, and the recursions of the paper, which bound it from above.

    Times run from 0 to T, values from 0 to n - 1. Outputs are of any type; an output's
    "probability" may be a density, for only ratios of it at one output and two values matter. *)

From TPL Require Export Loss.
Open Scope R_scope.

(** ** Definitions *)

(** A Markov chain, not necessarily homogeneous: Pr(l^0 = a) and Pr(l^(t+1) = b | l^t = a).
    [def:temporal_corr] *)
Record chain := { initial : nat -> R; forward : nat -> nat -> nat -> R }.
Definition valid (n : nat) (c : chain) : Prop := distribution n (initial c) /\ forall t,
  stochastic n (forward c t).

(** A path of values l^0, l^1, ...; its probability up to time t; a sum over all paths up to time
    t. *)
Definition path := nat -> nat.
Fixpoint path_probability (c : chain) (t : nat) (l : path) : R :=
  match t with
  | O => initial c (l 0%nat)
  | S s => path_probability c s l * forward c s (l s) (l (S s))
  end.
Definition then_at (l : path) (t a : nat) : path := fun s => if Nat.eqb s t then a else l s.
Fixpoint over_paths (n t : nat) (f : path -> R) : R :=
  match t with
  | O => sum n (fun a => f (then_at (fun _ => 0%nat) 0 a))
  | S s => sum n (fun a => over_paths n s (fun l => f (then_at l (S s) a)))
  end.

(** What is known at each time, as a factor for each value: the probability of an output that was
    seen, or 1 and 0 where the value itself is known, or 1. *)
Definition knowledge := nat -> nat -> R.
Fixpoint product (t : nat) (w : knowledge) (l : path) : R :=
  match t with
  | O => w 0%nat (l 0%nat)
  | S s => product s w l * w (S s) (l (S s))
  end.
Definition probability (n : nat) (c : chain) (T : nat) (w : knowledge) : R :=
  over_paths n T (fun l => path_probability c T l * product T w l).
Definition both (w v : knowledge) : knowledge := fun s a => w s a * v s a.
Definition nothing : knowledge := fun _ _ => 1.

(** The outputs r^from, ..., r^to of mechanisms M, Pr(r^t | l^t = a) = M t a (r t); the values
    l^from, ..., l^to. *)
Definition outputs {O : Type} (M : nat -> nat -> O -> R) (r : nat -> O) (from to : nat) :
  knowledge :=
  fun s a => if (Nat.leb from s && Nat.leb s to)%bool then M s a (r s) else 1.
Definition values (l : path) (from to : nat) : knowledge :=
  fun s a => if (Nat.leb from s && Nat.leb s to)%bool then (if Nat.eqb a (l s) then 1 else 0)
    else 1.
Definition value (t a : nat) : knowledge := values (fun _ => a) t t.

(** Pr(w | v). *)
Definition conditional (n : nat) (c : chain) (T : nat) (w v : knowledge) : R :=
  probability n c T (both w v) / probability n c T v.

(** M^t is eps_t-differentially private at each time t, for the adversary who knows all other
    users. [def:dp] *)
Definition private {O : Type} (n : nat) (eps : nat -> R) (M : nat -> nat -> O -> R) : Prop :=
  forall t a b o, (a < n)%nat -> (b < n)%nat -> 0 <= M t a o /\ M t a o <= exp (eps t) * M t b o.

(** The definitions of BPL, FPL and TPL [def:tpl]: log (Pr(outputs | l^t = a) / Pr(outputs | l^t =
    b)) <= v for all outputs and all values a, b that are possible at time t. *)
Definition leaks_at_most {O : Type} (n : nat) (c : chain) (T : nat) (M : nat -> nat -> O ->
  R) (t from to : nat) (v : R)
  : Prop :=
  forall r a b, (a < n)%nat -> (b < n)%nat ->
  0 < probability n c T (value t a) -> 0 < probability n c T (value t b) ->
  conditional n c T (outputs M r from to) (value t a)
  <= exp v * conditional n c T (outputs M r from to) (value t b).
Definition BPL_at_most {O : Type} n c T (M : nat -> nat -> O -> R) t v := leaks_at_most n c T M t 0
  t v.
Definition FPL_at_most {O : Type} n c T (M : nat -> nat -> O -> R) t v := leaks_at_most n c T M t t
  T v.
Definition TPL_at_most {O : Type} n c T (M : nat -> nat -> O -> R) t v := leaks_at_most n c T M t 0
  T v.

(** The definition of the TPL of the mechanisms from time i to time j [def:combined_pl]. *)
Definition window_leaks_at_most {O : Type} (n : nat) (c : chain) (T : nat) (M : nat -> nat -> O ->
  R) (i j : nat) (v : R)
  : Prop :=
  forall r l l', (forall s, (l s < n)%nat /\ (l' s < n)%nat) ->
  0 < probability n c T (values l i j) -> 0 < probability n c T (values l' i j) ->
  conditional n c T (outputs M r 0 T) (values l i j)
  <= exp v * conditional n c T (outputs M r 0 T) (values l' i j).

(** The backward correlations B t b a = Pr(l^t = a | l^(t+1) = b), by Bayes' rule. Where b cannot
    occur its row may be any distribution. *)
Definition bayes (n : nat) (c : chain) (B : nat -> nat -> nat -> R) : Prop :=
  (forall t, stochastic n (B t)) /\
  forall t a b, (a < n)%nat -> (b < n)%nat ->
  probability n c (S t) (value (S t) b) * B t b a = probability n c t (value t a) * forward c t a
    b.

(** The recursions (13) and (15), with a matrix and a budget for each step. [eq:bpl_f], [eq:fpl_f]
    FPL at time t with k releases after it; TPL by Equation (10). [eq:tpl_comp1] *)
Fixpoint BPL (n : nat) (B : nat -> nat -> nat -> R) (eps : nat -> R) (t : nat) : R :=
  match t with
  | O => eps 0%nat
  | S s => loss n (B s) (BPL n B eps s) + eps (S s)
  end.
Fixpoint FPL (n : nat) (F : nat -> nat -> nat -> R) (eps : nat -> R) (t k : nat) : R :=
  match k with
  | O => eps t
  | S j => loss n (F t) (FPL n F eps (S t) j) + eps t
  end.
Definition TPL (n : nat) (B F : nat -> nat -> nat -> R) (eps : nat -> R) (T t : nat) : R :=
  BPL n B eps t + FPL n F eps t (T - t) - eps t.

(** ** Sums over paths *)

(** The past up to time t with l^t = a, and the future of k steps after it. *)
Fixpoint past (n : nat) (c : chain) (w : knowledge) (t a : nat) : R :=
  match t with
  | O => initial c a * w 0%nat a
  | S s => sum n (fun b => past n c w s b * forward c s b a) * w t a
  end.
Fixpoint future (n : nat) (c : chain) (w : knowledge) (t k a : nat) : R :=
  match k with
  | O => 1
  | S j => dot n (forward c t a) (fun b => w (S t) b * future n c w (S t) j b)
  end.

Lemma path_probability_ext c t l l' : (forall s, (s <= t)%nat -> l s = l' s) ->
  path_probability c t l = path_probability c t l'.
Proof. induction t; simpl; intros H; [rewrite H; auto|]. rewrite IHt, !H; auto. Qed.

Lemma product_ext t w l l' : (forall s, (s <= t)%nat -> l s = l' s) -> product t w l = product t w
  l'.
Proof. induction t; simpl; intros H; [rewrite H; auto|]. rewrite IHt, !H; auto. Qed.

Lemma over_paths_ext n t f g : (forall l, f l = g l) -> over_paths n t f = over_paths n t g.
Proof. revert f g. induction t; simpl; intros f g H; apply sum_ext; intros; [apply H|]. apply IHt.
  intros. apply H. Qed.

Lemma then_at_same l t a : then_at l t a t = a.
Proof. unfold then_at. rewrite Nat.eqb_refl. reflexivity. Qed.

Lemma then_at_other l t a s : s <> t -> then_at l t a s = l s.
Proof. intros H. unfold then_at. destruct (Nat.eqb_spec s t); [contradiction|reflexivity]. Qed.

Lemma over_paths_past n c w t g :
  over_paths n t (fun l => path_probability c t l * product t w l * g (l t)) = sum n (fun a =>
    past n c w t a * g a).
Proof.
  revert g. induction t as [|t IH]; intros g; simpl.
  - apply sum_ext. intros a _. reflexivity.
  - transitivity (sum n (fun b => sum n (fun a => past n c w t a * (forward c t a b * w (S t) b * g
    b)))).
    + apply sum_ext. intros b _.
      rewrite <- (IH (fun a => forward c t a b * w (S t) b * g b)). apply over_paths_ext. intros l.
      rewrite !then_at_same, !(then_at_other l (S t) b t) by lia.
      rewrite (path_probability_ext c t (then_at l (S t) b) l),
        (product_ext t w (then_at l (S t) b) l).
      * ring.
      * intros s Hs. apply then_at_other. lia.
      * intros s Hs. apply then_at_other. lia.
    + apply sum_ext. intros b _.
      rewrite (sum_ext n _ (fun a => past n c w t a * forward c t a b * (w (S t) b * g b)))
        by (intros; ring).
      rewrite sum_scale_r. ring.
Qed.

Lemma past_future n c w t k : sum n (past n c w (t + k)) = sum n (fun a => past n c w t a * future
  n c w t k a).
Proof.
  revert t. induction k as [|k IH]; intros t.
  - rewrite Nat.add_0_r. apply sum_ext. intros. simpl. ring.
  - replace (t + S k)%nat with (S t + k)%nat by lia. rewrite IH. simpl.
    rewrite (sum_ext n _ (fun b => sum n (fun a => past n c w t a * forward c t a b *
      (w (S t) b * future n c w (S t) k b)))).
    + rewrite sum_swap. apply sum_ext. intros a _. unfold dot. rewrite <- sum_scale. apply sum_ext.
      intros b _. ring.
    + intros b _. rewrite sum_scale_r. ring.
Qed.

Lemma probability_split n c T t w : (t <= T)%nat ->
  probability n c T w = sum n (fun a => past n c w t a * future n c w t (T - t) a).
Proof.
  intros H. rewrite <- past_future. replace (t + (T - t))%nat with T by lia.
  rewrite (sum_ext n (past n c w T) (fun a => past n c w T a * 1)) by (intros; ring).
  rewrite <- over_paths_past. apply over_paths_ext. intros. ring.
Qed.

Lemma past_ext n c w v t a : (forall s b, (s <= t)%nat -> w s b = v s b) -> past n c w t a = past n
  c v t a.
Proof.
  revert a. induction t as [|t IH]; intros a H; simpl; [rewrite H; auto|].
  rewrite H by lia. f_equal. apply sum_ext. intros b _. rewrite IH; auto.
Qed.

Lemma future_ext n c w v t k a : (forall s b, (t < s)%nat -> w s b = v s b) -> future n c w t k a =
  future n c v t k a.
Proof.
  revert t a. induction k as [|k IH]; intros t a H; simpl; [reflexivity|].
  apply dot_ext; intros b _; [reflexivity|]. rewrite H by lia. f_equal. apply IH. intros; apply H;
    lia.
Qed.

(** ** Knowing the values of a window *)

Fixpoint trail (c : chain) (w : knowledge) (l : path) (i m : nat) : R :=
  match m with
  | O => 1
  | S k => trail c w l i k * (forward c (i + k) (l (i + k)%nat) (l (S (i + k))) * w (S (i + k))
    (l (S (i + k))))
  end.

Lemma window_outside l i m s a : (s < i \/ i + m < s)%nat -> values l i (i + m) s a = 1.
Proof.
  intros H. unfold values. destruct (Nat.leb_spec i s), (Nat.leb_spec s (i + m)); simpl;
    try reflexivity; lia.
Qed.

Lemma window_inside l i m s a : (i <= s <= i + m)%nat -> values l i (i + m) s a = if Nat.eqb a
  (l s) then 1 else 0.
Proof.
  intros H. unfold values. destruct (Nat.leb_spec i s), (Nat.leb_spec s (i + m)); simpl;
    try reflexivity; lia.
Qed.

Lemma past_window n c w l i m k a : (k <= m)%nat -> (forall s, (l s < n)%nat) -> (a < n)%nat ->
  past n c (both w (values l i (i + m))) (i + k) a
  = if Nat.eqb a (l (i + k)%nat) then past n c w i (l i) * trail c w l i k else 0.
Proof.
  revert a. induction k as [|k IH]; intros a Hk Hl Ha.
  - rewrite Nat.add_0_r. simpl. rewrite Rmult_1_r. destruct i as [|i].
    + remember (values l 0 (0 + m)) as v eqn:Ev. simpl. unfold both.
      rewrite Ev, window_inside by lia.
      destruct (Nat.eqb_spec a (l 0%nat)) as [->|]; ring.
    + remember (values l (S i) (S i + m)) as v eqn:Ev. simpl. unfold both at 2.
      rewrite Ev, window_inside by lia.
      rewrite (sum_ext n _ (fun b => past n c w i b * forward c i b a)).
      * destruct (Nat.eqb_spec a (l (S i))) as [->|]; ring.
      * intros b _. f_equal. apply past_ext. intros s d Hs. unfold both.
        rewrite window_outside by lia. ring.
  - replace (i + S k)%nat with (S (i + k)) by lia. simpl. unfold both at 2.
    rewrite window_inside by lia.
    rewrite (sum_ext n _ (fun b => if Nat.eqb b (l (i + k)%nat)
               then past n c w i (l i) * trail c w l i k * forward c (i + k) b a else 0)).
    + rewrite (sum_single n (l (i + k)%nat) (fun b => past n c w i (l i) * trail c w l i k *
      forward c (i + k) b a)) by auto.
      destruct (Nat.eqb_spec a (l (S (i + k)))) as [->|]; ring.
    + intros b Hb. rewrite IH by (auto; lia). destruct (Nat.eqb b (l (i + k)%nat)); ring.
Qed.

Lemma probability_window n c T w l i m : (i + m <= T)%nat -> (forall s, (l s < n)%nat) ->
  probability n c T (both w (values l i (i + m)))
  = past n c w i (l i) * trail c w l i m * future n c w (i + m) (T - (i + m)) (l (i + m)%nat).
Proof.
  intros HT Hl. rewrite (probability_split n c T (i + m)) by assumption.
  rewrite (sum_ext n _ (fun a => if Nat.eqb a (l (i + m)%nat)
     then past n c w i (l i) * trail c w l i m * future n c w (i + m) (T - (i + m)) a else 0)).
  - rewrite (sum_single n (l (i + m)%nat) (fun a => past n c w i (l i) * trail c w l i m *
      future n c w (i + m) (T - (i + m)) a)) by auto. reflexivity.
  - intros a Ha. rewrite past_window by auto. destruct (Nat.eqb a (l (i + m)%nat)); [|ring].
    f_equal. apply future_ext. intros s b Hs. unfold both. rewrite window_outside by lia. ring.
Qed.

Lemma probability_ext n c T w v : (forall s b, w s b = v s b) -> probability n c T w = probability
  n c T v.
Proof.
  intros H. rewrite !(probability_split n c T T) by lia. apply sum_ext. intros a _.
  rewrite (past_ext n c w v) by auto. rewrite (future_ext n c w v) by auto. reflexivity.
Qed.

Lemma future_nothing n c w t k a : valid n c -> (a < n)%nat -> (forall s b, (t < s)%nat ->
  w s b = 1) ->
  future n c w t k a = 1.
Proof.
  intros [_ Hc]. revert t a. induction k as [|k IH]; intros t a Ha H; simpl; [reflexivity|].
  rewrite (dot_ext n _ _ (forward c t a) (fun _ => 1)).
  - apply dot_const. apply Hc. assumption.
  - reflexivity.
  - intros b Hb. rewrite H by lia. rewrite IH; [ring|assumption|intros; apply H; lia].
Qed.

(** Pr(l^t = a). *)
Definition marginal (n : nat) (c : chain) (t a : nat) : R := past n c nothing t a.

Lemma marginal_probability n c T t a : valid n c -> (t <= T)%nat -> (a < n)%nat ->
  probability n c T (value t a) = marginal n c t a.
Proof.
  intros Hc Ht Ha.
  rewrite (probability_ext n c T _ (both nothing (values (fun _ => a) t (t + 0)))).
  - rewrite probability_window by (auto; lia). simpl. rewrite future_nothing; auto.
    unfold marginal. ring.
  - intros s b. rewrite Nat.add_0_r. unfold both, nothing, value. ring.
Qed.

Lemma marginal_nonneg n c t a : valid n c -> (a < n)%nat -> 0 <= marginal n c t a.
Proof.
  intros [Hi Hc]. unfold marginal. revert a. induction t as [|t IH]; intros a Ha; simpl;
    unfold nothing.
  - rewrite Rmult_1_r. apply Hi. assumption.
  - rewrite Rmult_1_r. apply sum_nonneg. intros b Hb. apply Rmult_le_pos;
    [apply IH; assumption|apply Hc; assumption].
Qed.

(** Pr(outputs up to t | l^t = a), through the backward correlations. *)
Fixpoint likelihood (n : nat) (B : nat -> nat -> nat -> R) (w : knowledge) (t a : nat) : R :=
  match t with
  | O => w 0%nat a
  | S s => w t a * dot n (B s a) (likelihood n B w s)
  end.

Lemma likelihood_ext n B w v t a : (forall s b, (s <= t)%nat -> (b < n)%nat -> w s b = v s b) ->
  (a < n)%nat ->
  likelihood n B w t a = likelihood n B v t a.
Proof.
  intros H. revert a. induction t as [|t IH]; intros a Ha; simpl; [apply H; auto; lia|].
  rewrite H by (auto; lia). f_equal. apply dot_ext; [reflexivity|]. intros b Hb. apply IH; auto.
Qed.

(** Where nothing is seen before time t. *)
Lemma likelihood_first n B w t a : (forall t, stochastic n (B t)) -> (a < n)%nat ->
  (forall s b, (s < t)%nat -> w s b = 1) ->
  likelihood n B w t a = w t a.
Proof.
  intros HB Ha Hw. destruct t as [|t]; [reflexivity|]. simpl.
  assert (H : forall s b, (s <= t)%nat -> (b < n)%nat -> likelihood n B w s b = 1).
  { induction s as [|s IH]; intros b Hs Hb; simpl; rewrite Hw by lia; [reflexivity|].
    rewrite (dot_ext n _ _ (B s b) (fun _ => 1)); [rewrite dot_const; [ring|apply HB;
      assumption]|reflexivity|].
    intros; apply IH; auto; lia. }
  rewrite (dot_ext n _ _ (B t a) (fun _ => 1)); [rewrite dot_const; [ring|apply HB;
    assumption]|reflexivity|].
  intros; apply H; auto.
Qed.

Lemma past_likelihood n c B w t a : valid n c -> bayes n c B -> (a < n)%nat ->
  past n c w t a = marginal n c t a * likelihood n B w t a.
Proof.
  intros Hc [HB Hb]. revert a. induction t as [|t IH]; intros a Ha.
  - unfold marginal. simpl. unfold nothing. ring.
  - simpl past. simpl likelihood.
    replace (marginal n c (S t) a * (w (S t) a * dot n (B t a) (likelihood n B w t)))
      with (w (S t) a * (marginal n c (S t) a * dot n (B t a) (likelihood n B w t))) by ring.
    rewrite (Rmult_comm _ (w (S t) a)). f_equal. unfold dot. rewrite <- sum_scale. apply sum_ext.
      intros b Hb'.
    rewrite IH by assumption. pose proof (Hb t b a Hb' Ha) as H.
    rewrite !marginal_probability in H by (auto; lia).
    replace (marginal n c (S t) a * (B t a b * likelihood n B w t b))
      with (marginal n c (S t) a * B t a b * likelihood n B w t b) by ring.
    rewrite H. ring.
Qed.

(** Given l^t the past and the future are independent: the one factor of Theorem 2 that is true as
    printed. *)
Theorem given_value n c T B w t a : valid n c -> bayes n c B -> (t <= T)%nat -> (a < n)%nat ->
  0 < probability n c T (value t a) ->
  conditional n c T w (value t a) = likelihood n B w t a * future n c w t (T - t) a.
Proof.
  intros Hc HB Ht Ha Hp. unfold conditional.
  rewrite (probability_ext n c T (both w (value t a)) (both w (values (fun _ => a) t (t + 0))))
    by (intros; rewrite Nat.add_0_r; reflexivity).
  rewrite probability_window by (auto; lia). rewrite marginal_probability in * by assumption.
  simpl. rewrite Nat.add_0_r, (past_likelihood n c B) by assumption. field. lra.
Qed.

(** ** The recursions bound the leakage *)

Lemma within_step n P A e x w : stochastic n P -> 1 <= A -> 1 <= e -> within n A x ->
  (forall a b, (a < n)%nat -> (b < n)%nat -> 0 <= w a /\ w a <= e * w b) ->
  within n (gain n P A * e) (fun a => w a * dot n (P a) x).
Proof.
  intros HP HA He Hx Hw. pose proof (gain_one n P A).
  assert (Hd : forall a, (a < n)%nat -> 0 <= dot n (P a) x).
  { intros a Ha. apply dot_nonneg; [apply HP; assumption|apply Hx]. }
  split.
  - intros a Ha. apply Rmult_le_pos; [apply (Hw a a Ha Ha)|auto].
  - intros a b Ha Hb. pose proof (gain_bounds n P A x a b HP HA Ha Hb Hx).
    destruct (Hw a b Ha Hb) as [W0 W].
    pose proof (Hd a Ha). pose proof (Hd b Hb). destruct (Hw b b Hb Hb) as [V0 _].
    apply Rle_trans with (e * w b * (gain n P A * dot n (P b) x)).
    + apply Rmult_le_compat; auto.
    + right. ring.
Qed.

Definition bounded_by (n : nat) (eps : nat -> R) (w : knowledge) : Prop :=
  forall t a b, (a < n)%nat -> (b < n)%nat -> 0 <= w t a /\ w t a <= exp (eps t) * w t b.

Lemma outputs_bounded {O : Type} n eps (M : nat -> nat -> O -> R) r i j :
  (forall t, 0 <= eps t) -> private n eps M -> bounded_by n eps (outputs M r i j).
Proof.
  intros He HM t a b Ha Hb. unfold outputs. destruct (Nat.leb i t && Nat.leb t j)%bool.
  - apply HM; assumption.
  - pose proof (exp_ratio (eps t) (He t)). lra.
Qed.

Lemma BPL_nonneg n B eps t : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t) ->
  0 <= BPL n B eps t.
Proof.
  intros HB He. induction t; simpl; [apply He|].
  pose proof (remark_1 n (B t) (BPL n B eps t) (HB t) IHt). pose proof (He (S t)). lra.
Qed.

Lemma FPL_nonneg n F eps t k : (forall t, stochastic n (F t)) -> (forall t, 0 <= eps t) ->
  0 <= FPL n F eps t k.
Proof.
  intros HF He. revert t. induction k; intros t; simpl; [apply He|].
  pose proof (remark_1 n (F t) (FPL n F eps (S t) k) (HF t) (IHk (S t))). pose proof (He t). lra.
Qed.

Lemma likelihood_within n B eps w t : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t) ->
  bounded_by n eps w -> within n (exp (BPL n B eps t)) (likelihood n B w t).
Proof.
  intros HB He Hw. induction t as [|t IH]; simpl.
  - split; [intros a Ha; apply (Hw 0%nat a a Ha Ha)|intros a b Ha Hb; apply (Hw 0%nat a b Ha Hb)].
  - rewrite exp_plus, exp_loss. apply within_step; auto using exp_ratio, BPL_nonneg.
Qed.

Lemma future_within n c eps w t k : valid n c -> (forall t, 0 <= eps t) -> bounded_by n eps w ->
  within n (exp (FPL n (forward c) eps t k)) (fun a => w t a * future n c w t k a).
Proof.
  intros [_ HF] He Hw. revert t. induction k as [|k IH]; intros t; simpl.
  - split.
    + intros a Ha. destruct (Hw t a a Ha Ha). lra.
    + intros a b Ha Hb. destruct (Hw t a b Ha Hb). lra.
  - rewrite exp_plus, exp_loss. apply within_step; auto using exp_ratio, FPL_nonneg.
Qed.

(** The past and the future beside the mechanism at t: what adds up to BPL - eps and FPL - eps. *)
Definition before (n : nat) (B : nat -> nat -> nat -> R) (w : knowledge) (t a : nat) : R :=
  match t with
  | O => 1
  | S s => dot n (B s a) (likelihood n B w s)
  end.

Lemma likelihood_before n B w t a : likelihood n B w t a = w t a * before n B w t a.
Proof. destruct t; simpl; [ring|reflexivity]. Qed.

Lemma before_bound n B eps w t a b : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t) ->
  bounded_by n eps w ->
  (a < n)%nat -> (b < n)%nat ->
  0 <= before n B w t a /\ before n B w t a <= exp (BPL n B eps t - eps t) * before n B w t b.
Proof.
  intros HB He Hw Ha Hb. destruct t as [|t]; simpl.
  - rewrite Rminus_diag_eq, exp_0 by reflexivity. lra.
  - pose proof (likelihood_within n B eps w t HB He Hw) as Hx. split.
    + apply dot_nonneg; [apply HB; assumption|apply Hx].
    + replace (loss n (B t) (BPL n B eps t) + eps (S t) - eps (S t))
      with (loss n (B t) (BPL n B eps t)) by ring.
      rewrite exp_loss. apply gain_bounds; auto using exp_ratio, BPL_nonneg.
Qed.

Lemma future_bound n c eps w t k a b : valid n c -> (forall t, 0 <= eps t) -> bounded_by n eps w ->
  (a < n)%nat -> (b < n)%nat ->
  0 <= future n c w t k a /\ future n c w t k a <= exp (FPL n (forward c) eps t k - eps t) * future
    n c w t k b.
Proof.
  intros Hc He Hw Ha Hb. destruct k as [|k]; simpl.
  - rewrite Rminus_diag_eq, exp_0 by reflexivity. lra.
  - pose proof (future_within n c eps w (S t) k Hc He Hw) as Hx. destruct Hc as [_ HF]. split.
    + apply dot_nonneg; [apply HF; assumption|apply Hx].
    + replace (loss n (forward c t) (FPL n (forward c) eps (S t) k) + eps t - eps t)
        with (loss n (forward c t) (FPL n (forward c) eps (S t) k)) by ring.
      rewrite exp_loss. apply gain_bounds; auto using exp_ratio, FPL_nonneg.
Qed.

Lemma product_bound x x' y y' a b : 0 <= x -> 0 <= y -> x <= exp a * x' -> y <= exp b * y' ->
  x * y <= exp (a + b) * (x' * y').
Proof. intros. rewrite exp_plus. replace (exp a * exp b * (x' * y'))
  with (exp a * x' * (exp b * y')) by ring.
  apply Rmult_le_compat; assumption. Qed.

(** Equation (13) [eq:bpl_f], as an upper bound: BPL_t as defined is at most what the recursion
    gives. *)
Theorem BPL_recursion {O : Type} n c B eps T (M : nat -> nat -> O -> R) t :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M -> (t <= T)%nat ->
  BPL_at_most n c T M t (BPL n B eps t).
Proof.
  intros Hc HB He HM Ht r a b Ha Hb Pa Pb.
  pose proof (outputs_bounded n eps M r 0 t He HM) as Hw.
  rewrite !(given_value n c T B) by assumption.
  rewrite !future_nothing; auto; try (intros s d Hs; unfold outputs; destruct (Nat.leb_spec s t);
    [lia|];
    rewrite andb_false_r; reflexivity).
  rewrite !Rmult_1_r. apply (likelihood_within n B eps); auto. apply HB.
Qed.

(** Equation (15) [eq:fpl_f], as an upper bound. *)
Theorem FPL_recursion {O : Type} n c B eps T (M : nat -> nat -> O -> R) t :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M -> (t <= T)%nat ->
  FPL_at_most n c T M t (FPL n (forward c) eps t (T - t)).
Proof.
  intros Hc HB He HM Ht r a b Ha Hb Pa Pb.
  pose proof (outputs_bounded n eps M r t T He HM) as Hw. set (w := outputs M r t T) in *.
  assert (Hl : forall d, (d < n)%nat -> likelihood n B w t d = w t d).
  { intros d Hd. apply likelihood_first; [apply HB|assumption|]. intros s e Hs. unfold w, outputs.
    destruct (Nat.leb_spec t s); [lia|reflexivity]. }
  rewrite !(given_value n c T B) by assumption. rewrite !Hl by assumption.
  apply (future_within n c eps w t (T - t) Hc He Hw); assumption.
Qed.

(** Theorem 2 [thm:analysis_tpl] in its safe form: TPL as defined is at most BPL + FPL - eps, both
    by the recursions. As printed, with BPL and FPL as defined, it is false:
    [Errata.theorem_2_as_printed]. *)
Theorem theorem_2 {O : Type} n c B eps T (M : nat -> nat -> O -> R) t :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M -> (t <= T)%nat ->
  TPL_at_most n c T M t (TPL n B (forward c) eps T t).
Proof.
  intros Hc HB He HM Ht r a b Ha Hb Pa Pb. unfold TPL.
  pose proof (outputs_bounded n eps M r 0 T He HM) as Hw. set (w := outputs M r 0 T) in *.
  rewrite !(given_value n c T B), !likelihood_before by assumption.
  destruct (before_bound n B eps w t a b (proj1 HB) He Hw Ha Hb) as [X0 X].
  destruct (future_bound n c eps w t (T - t) a b Hc He Hw Ha Hb) as [Y0 Y].
  destruct (Hw t a b Ha Hb) as [W0 W].
  replace (BPL n B eps t + FPL n (forward c) eps t (T - t) - eps t)
    with (eps t + (BPL n B eps t - eps t) + (FPL n (forward c) eps t (T - t) - eps t)) by ring.
  apply product_bound; auto; [apply Rmult_le_pos; assumption|]. apply product_bound; auto.
Qed.

(** Sets of outputs add nothing: what holds of every sequence of outputs holds of every finite set
    of them. *)
Theorem sets_of_outputs {O : Type} n c T (M : nat -> nat -> O -> R) t from to v (count : nat) (r :
  nat -> nat -> O) a b :
  leaks_at_most n c T M t from to v -> (a < n)%nat -> (b < n)%nat ->
  0 < probability n c T (value t a) -> 0 < probability n c T (value t b) ->
  sum count (fun i => conditional n c T (outputs M (r i) from to) (value t a))
  <= exp v * sum count (fun i => conditional n c T (outputs M (r i) from to) (value t b)).
Proof. intros H Ha Hb Pa Pb. rewrite <- sum_scale. apply sum_le. intros i _. apply H; assumption.
  Qed.

(** ** Bayes' rule always has an answer *)

Definition reversed (n : nat) (c : chain) (t b a : nat) : R :=
  if Req_EM_T (marginal n c (S t) b) 0 then (if Nat.eqb a 0 then 1 else 0)
  else marginal n c t a * forward c t a b / marginal n c (S t) b.

Theorem bayes_rule n c : (0 < n)%nat -> valid n c -> bayes n c (reversed n c).
Proof.
  intros Hn Hc.
  assert (Hm : forall t b, marginal n c (S t) b = sum n (fun a => marginal n c t a * forward c t a
    b)).
  { intros t b. unfold marginal. simpl. unfold nothing at 2. ring. }
  split.
  - intros t b Hb. unfold reversed. destruct (Req_EM_T (marginal n c (S t) b) 0) as [Z|Z]; split.
    + intros a _. destruct (Nat.eqb a 0); lra.
    + apply (sum_single n 0 (fun _ => 1)). assumption.
    + intros a Ha. pose proof (marginal_nonneg n c (S t) b Hc Hb).
      pose proof (marginal_nonneg n c t a Hc Ha).
      pose proof (proj1 (proj2 Hc t a Ha) b Hb).
      apply Rmult_le_pos; [apply Rmult_le_pos; assumption|left; apply Rinv_0_lt_compat; lra].
    + unfold Rdiv. rewrite sum_scale_r, <- Hm. field. assumption.
  - intros t a b Ha Hb. rewrite !marginal_probability by (auto; lia). unfold reversed.
    destruct (Req_EM_T (marginal n c (S t) b) 0) as [Z|Z].
    + rewrite Z, Rmult_0_l. symmetry. rewrite Hm in Z.
      apply (sum_zero_term n (fun a => marginal n c t a * forward c t a b) a); auto.
      intros d Hd. apply Rmult_le_pos; [apply marginal_nonneg; auto|]. apply (proj2 Hc t d Hd).
        assumption.
    + field. assumption.
Qed.

(** ** Several mechanisms *)

Fixpoint seen_on (w : knowledge) (l : path) (i m : nat) : R :=
  match m with
  | O => 1
  | S k => seen_on w l i k * w (S (i + k)) (l (S (i + k)))
  end.

Lemma trail_split c w l i m : trail c w l i m = trail c nothing l i m * seen_on w l i m.
Proof. induction m as [|m IH]; simpl; [ring|]. rewrite IH. unfold nothing. ring. Qed.

Lemma seen_on_bound n eps w l l' i m : bounded_by n eps w -> (forall s, (l s < n)%nat /\
  (l' s < n)%nat) ->
  0 <= seen_on w l i m /\ seen_on w l i m <= exp (sum m (fun k => eps (S (i + k)))) * seen_on w l'
    i m.
Proof.
  intros Hw Hl. induction m as [|m [I0 I]]; simpl; [rewrite exp_0; lra|].
  destruct (Hw (S (i + m)) (l (S (i + m))) (l' (S (i + m))) (proj1 (Hl _)) (proj2 (Hl _)))
    as [W0 W]. split.
  - apply Rmult_le_pos; assumption.
  - apply product_bound; assumption.
Qed.

(** Pr(all outputs | the values of the window). *)
Lemma given_window n c T B w l i m : valid n c -> bayes n c B -> (i + m <= T)%nat ->
  (forall s, (l s < n)%nat) ->
  0 < probability n c T (values l i (i + m)) ->
  conditional n c T w (values l i (i + m))
  = likelihood n B w i (l i) * seen_on w l i m * future n c w (i + m) (T - (i + m))
    (l (i + m)%nat).
Proof.
  intros Hc HB HT Hl Hp. unfold conditional.
  assert (E : probability n c T (values l i (i + m)) = marginal n c i (l i) * trail c nothing l i
    m).
  { rewrite (probability_ext n c T _ (both nothing (values l i (i + m)))) by (intros; unfold both,
    nothing; ring).
    rewrite probability_window, future_nothing by (auto). unfold marginal. ring. }
  rewrite E in *. rewrite probability_window, (past_likelihood n c B), trail_split by auto.
  assert (marginal n c i (l i) <> 0) by (intros Z; rewrite Z in Hp; lra).
  assert (trail c nothing l i m <> 0) by (intros Z; rewrite Z in Hp; lra).
  field. auto.
Qed.

(** Where the values of a window are possible together, each is. *)
Lemma trail_below n c l i m : valid n c -> (forall s, (l s < n)%nat) ->
  0 <= marginal n c i (l i) * trail c nothing l i m <= marginal n c (i + m) (l (i + m)%nat).
Proof.
  intros Hc Hl. pose proof (marginal_nonneg n c) as Hm. induction m as [|m [I0 I]]; simpl.
  - rewrite Nat.add_0_r. specialize (Hm i (l i) Hc (Hl i)). lra.
  - replace (i + S m)%nat with (S (i + m)) by lia. set (b := l (S (i + m))).
    set (a := l (i + m)%nat) in *.
    pose proof (proj1 (proj2 Hc (i + m)%nat a (Hl _)) b (Hl _)) as F0.
    replace (nothing (S (i + m)) b) with 1 by reflexivity. rewrite Rmult_1_r, <- Rmult_assoc.
      split.
    + apply Rmult_le_pos; assumption.
    + apply Rle_trans with (marginal n c (i + m) a * forward c (i + m) a b);
      [apply Rmult_le_compat_r; assumption|].
      unfold marginal at 2. simpl. unfold nothing at 2. rewrite Rmult_1_r.
      apply (sum_term n (fun a => past n c nothing (i + m) a * forward c (i + m) a b) a);
        [|apply Hl].
      intros d Hd. apply Rmult_le_pos; [apply Hm; assumption|]. apply (proj2 Hc (i + m)%nat d Hd).
        apply Hl.
Qed.

Lemma window_possible n c T l i m : valid n c -> (i + m <= T)%nat -> (forall s, (l s < n)%nat) ->
  0 < probability n c T (values l i (i + m)) ->
  0 < probability n c T (value i (l i)) /\ 0 < probability n c T (value (i + m) (l (i + m)%nat)).
Proof.
  intros Hc HT Hl Hp. rewrite !marginal_probability by (auto; lia).
  rewrite (probability_ext n c T _ (both nothing (values l i (i + m)))) in Hp by (intros;
    unfold both, nothing; ring).
  rewrite probability_window, future_nothing, Rmult_1_r in Hp by auto. fold (marginal n c i (l i))
    in Hp.
  pose proof (trail_below n c l i m Hc Hl). pose proof (marginal_nonneg n c i (l i) Hc (Hl i)).
    split; [|lra].
  destruct (Req_dec (marginal n c i (l i)) 0) as [Z|]; [rewrite Z in Hp; lra|lra].
Qed.

(** What BPL and FPL at a time are about, as factors of what is seen in all. *)
Lemma given_past n c T B {O : Type} (M : nat -> nat -> O -> R) r t a : valid n c -> bayes n c B ->
  (t <= T)%nat -> (a < n)%nat ->
  0 < probability n c T (value t a) ->
  conditional n c T (outputs M r 0 t) (value t a) = likelihood n B (outputs M r 0 T) t a.
Proof.
  intros Hc HB Ht Ha Hp. rewrite (given_value n c T B) by assumption. rewrite future_nothing; auto.
  - rewrite Rmult_1_r. apply likelihood_ext; [|assumption]. intros s b Hs Hb. unfold outputs.
    destruct (Nat.leb_spec s t), (Nat.leb_spec s T); simpl; reflexivity || lia.
  - intros s b Hs. unfold outputs. destruct (Nat.leb_spec s t); [lia|]. rewrite andb_false_r.
    reflexivity.
Qed.

Lemma given_rest n c T B {O : Type} (M : nat -> nat -> O -> R) r t a : valid n c -> bayes n c B ->
  (t <= T)%nat -> (a < n)%nat ->
  0 < probability n c T (value t a) ->
  conditional n c T (outputs M r t T) (value t a)
  = outputs M r 0 T t a * future n c (outputs M r 0 T) t (T - t) a.
Proof.
  intros Hc HB Ht Ha Hp. rewrite (given_value n c T B) by assumption. f_equal.
  - rewrite likelihood_first; [|apply HB|assumption|].
    + unfold outputs. destruct (Nat.leb_spec t t), (Nat.leb_spec t T); simpl; reflexivity || lia.
    + intros s b Hs. unfold outputs. destruct (Nat.leb_spec t s); [lia|reflexivity].
  - apply future_ext. intros s b Hs. unfold outputs. destruct (Nat.leb_spec t s); [|lia].
    reflexivity.
Qed.

(** Theorem 3 [thm:composition], as an upper bound, with BPL and FPL as they are defined: of the
    mechanisms from time i to time i + m + 1. *)
Theorem theorem_3 {O : Type} n c eps T (M : nat -> nat -> O -> R) i m alpha_B alpha_F :
  valid n c -> (forall t, 0 <= eps t) -> private n eps M -> (i + S m <= T)%nat ->
  BPL_at_most n c T M i alpha_B -> FPL_at_most n c T M (i + S m) alpha_F ->
  window_leaks_at_most n c T M i (i + S m) (alpha_B + sum m (fun k => eps (S (i + k))) + alpha_F).
Proof.
  intros Hc He HM HT HBPL HFPL r l l' Hl Pl Pl'.
  assert (Hn : (0 < n)%nat) by (destruct (Hl 0%nat); lia). pose proof (bayes_rule n c Hn Hc) as HB.
  destruct (window_possible n c T l i (S m)) as [P1 P2]; auto; [intros; apply Hl|].
  destruct (window_possible n c T l' i (S m)) as [P1' P2']; auto; [intros; apply Hl|].
  pose proof (outputs_bounded n eps M r 0 T He HM) as Hw.
  specialize (HBPL r (l i) (l' i) (proj1 (Hl i)) (proj2 (Hl i)) P1 P1').
  specialize (HFPL r (l (i + S m)%nat) (l' (i + S m)%nat) (proj1 (Hl _)) (proj2 (Hl _)) P2 P2').
  rewrite !(given_past n c T (reversed n c)) in HBPL by (auto; try lia; apply Hl).
  rewrite !(given_rest n c T (reversed n c)) in HFPL by (auto; try lia; apply Hl).
  rewrite !(given_window n c T (reversed n c)) by (auto; intros; apply Hl).
  set (w := outputs M r 0 T) in *. simpl seen_on. replace (S (i + m)) with (i + S m)%nat by lia.
  destruct (seen_on_bound n eps w l l' i m Hw Hl) as [S0 S1].
  destruct (likelihood_within n (reversed n c) eps w i (proj1 HB) He Hw) as [L0 _].
  pose proof (proj1 (future_within n c eps w (i + S m) (T - (i + S m)) Hc He Hw)) as F0.
    cbv beta in F0.
  rewrite !(Rmult_assoc (likelihood _ _ _ _ _)), !(Rmult_assoc (seen_on _ _ _ _)),
    <- !(Rmult_assoc (likelihood _ _ _ _ _)).
  apply product_bound; auto.
  - apply Rmult_le_pos; [apply L0; apply Hl|assumption].
  - apply F0. apply Hl.
  - apply product_bound; auto. apply L0; apply Hl.
Qed.

(** Corollary 1 [col:user-level], as an upper bound: all T + 1 mechanisms together leak at most the
    sum of the budgets. *)
Theorem corollary_1 {O : Type} n c B eps T (M : nat -> nat -> O -> R) :
  valid n c -> bayes n c B -> (forall t, 0 <= eps t) -> private n eps M ->
  window_leaks_at_most n c T M 0 T (sum (S T) eps).
Proof.
  intros Hc HB He HM. destruct T as [|T].
  - intros r l l' Hl Pl Pl'. pose proof (outputs_bounded n eps M r 0 0 He HM) as Hw.
    change (values l 0 0) with (values l 0 (0 + 0)) in *.
      change (values l' 0 0) with (values l' 0 (0 + 0)) in *.
    rewrite !(given_window n c 0 B) by (auto; intros; apply Hl). simpl.
    destruct (Hw 0%nat (l 0%nat) (l' 0%nat) (proj1 (Hl _)) (proj2 (Hl _))). rewrite Rplus_0_l. lra.
  - pose proof (theorem_3 n c eps (S T) M 0 T _ _ Hc He HM ltac:(lia)
      (BPL_recursion n c B eps (S T) M 0 Hc HB He HM ltac:(lia))
      (FPL_recursion n c B eps (S T) M (0 + S T) Hc HB He HM ltac:(lia))) as H.
    replace (BPL n B eps 0 + sum T (fun k => eps (S (0 + k))) + FPL n (forward c) eps (0 + S T)
      (S T - (0 + S T)))
      with (sum (S (S T)) eps) in H; [exact H|].
    replace (S T - (0 + S T))%nat with 0%nat by lia. simpl.
    assert (E : forall m, sum (S m) eps = eps 0%nat + sum m (fun k => eps (S k))).
    { induction m as [|m IH]; [simpl; ring|]. simpl in *. rewrite IH. ring. }
    specialize (E T). simpl in E. rewrite E. reflexivity.
Qed.

(** Theorem 1: Laplace noise of scale Delta/eps on each of n numbers, Delta their L_1 sensitivity,
    has at every output a density within e^eps. *)
Definition laplace_density (n : nat) (scale : R) (x y : nat -> R) : R :=
  (/ (2 * scale)) ^ n * exp (- (sum n (fun i => Rabs (y i - x i)) / scale)).

Theorem theorem_1 n Delta eps x x' y : 0 < Delta -> 0 < eps -> sum n (fun i => Rabs (x i - x' i))
  <= Delta ->
  laplace_density n (Delta / eps) x y <= exp eps * laplace_density n (Delta / eps) x' y.
Proof.
  intros HD He H. assert (Hs : 0 < Delta / eps) by (apply Rdiv_lt_0_compat; assumption).
  set (s := Delta / eps) in *. unfold laplace_density.
  replace (exp eps * ((/ (2 * s)) ^ n * exp (- (sum n (fun i => Rabs (y i - x' i)) / s))))
    with ((/ (2 * s)) ^ n * (exp eps * exp (- (sum n (fun i => Rabs (y i - x' i)) / s)))) by ring.
  apply Rmult_le_compat_l; [apply pow_le; left; apply Rinv_0_lt_compat; lra|]. rewrite <- exp_plus.
    apply exp_le.
  assert (Ht : sum n (fun i => Rabs (y i - x' i)) <= sum n (fun i => Rabs (y i - x i)) + Delta).
  { eapply Rle_trans; [|apply Rplus_le_compat_l; exact H]. rewrite <- sum_plus. apply sum_le.
    intros i _.
    replace (y i - x' i) with (y i - x i + (x i - x' i)) by ring. apply Rabs_triang. }
  apply Rmult_le_compat_r with (r := / s) in Ht; [|left; apply Rinv_0_lt_compat; assumption].
  replace ((sum n (fun i => Rabs (y i - x i)) + Delta) * / s) with (sum n (fun i =>
    Rabs (y i - x i)) / s + eps) in Ht.
  - unfold Rdiv in *. lra.
  - unfold s. field. lra.
Qed.

(** Theorem 4 [thm:sequential_composition]: the mechanisms from time i to time i + m together, as
    one mechanism of the sequence of data, are private with the sum of the budgets. Any N sequences
    are numbered, from 0; outputs are sequences of outputs. *)
Theorem theorem_4 {O : Type} n eps (M : nat -> nat -> O -> R) i m N (sequence : nat -> path) :
  private n eps M -> (forall a s, (sequence a s < n)%nat) ->
  private N (fun _ => sum (S m) (fun k => eps (i + k)%nat))
    (fun _ a r => product m (fun k d => M (i + k)%nat d (r (i + k)%nat)) (fun k =>
      sequence a (i + k)%nat)).
Proof.
  intros HM Hl _ a b r _ _. induction m as [|m [I0 I]]; simpl.
  - rewrite Rplus_0_l. apply HM; apply Hl.
  - destruct (HM (i + S m)%nat (sequence a (i + S m)%nat) (sequence b (i + S m)%nat)
    (r (i + S m)%nat)) as [W0 W]; auto.
    split; [apply Rmult_le_pos; assumption|]. apply product_bound; assumption.
Qed.
