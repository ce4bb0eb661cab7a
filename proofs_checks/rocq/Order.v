(** Chains of any order: the sweep on tuples of values bounds every event-level private stream.

    One side of a time, the nearest first: position 0 is the value at the time in question,
      position
    s the value s steps before it, or s steps after it. *)

From TPL Require Export Joint.
From Coq Require Import FunctionalExtensionality.
Open Scope R_scope.

(** ** Definitions *)

(** The law of the value at position r, given the values at the nearer positions, is next r: a
    distribution, which looks at the m positions before r alone. *)
Record chain_of_order (n m : nat) (next : nat -> path -> R) : Prop := {
  next_nonneg : forall r l, in_range n l -> 0 <= next r l;
  next_one : forall r l, in_range n l -> sum n (fun b => next r (then_at l r b)) = 1;
  next_near : forall r l s b, (r < s \/ s + m < r)%nat -> next r (then_at l s b) = next r l }.

(** The product of the laws at the positions from + 1 .. from + k. *)
Fixpoint law (next : nat -> path -> R) (from k : nat) (l : path) : R :=
  match k with O => 1 | S s => law next from s l * next (from + S s)%nat l end.

(** The sum over all values at the positions s .. s + k - 1. *)
Fixpoint over_side (n s k : nat) (f : path -> R) (l : path) : R :=
  match k with
  | O => f l
  | S r => sum n (fun b => over_side n (S s) r f (then_at l s b))
  end.

(** Pr(output | the value at position 0 is a), the output having the likelihood g. *)
Definition given_side (n T : nat) (next : nat -> path -> R) (g : path -> R) (a : nat) : R :=
  over_side n 1 T (fun l => law next 0 T l * g l) (then_at origin 0 a).

(** The sweep on tuples. The coefficient c stands on the values at s .. s + m - 1, and is a
  function
    of paths that looks at no others: Phi on each tuple, then the sum over the value at s, with
    the law of the one at s + m, where there is one. *)
Definition Phi_on (e : R) (c : path -> R) (l : path) : R := if Rlt_dec 0 (c l) then e * c l
  else c l.
Definition law_behind (next : nat -> path -> R) (m T s : nat) (l : path) : R :=
  if Nat.leb (s + m) T then next (s + m)%nat l else 1.
Fixpoint tuple_sweep (n m T : nat) (next : nat -> path -> R) (eps : nat -> R) (s k : nat) (c :
  path -> R) (l : path) : R :=
  match k with
  | O => c l
  | S r => tuple_sweep n m T next eps (S s) r (fun l => sum n (fun b =>
      Phi_on (exp (eps s)) c (then_at l s b) * law_behind next m T s (then_at l s b))) l
  end.

(** What it begins with: Pr(the nearest m values | j) - lambda Pr(they | k); all T, if T < m. *)
Definition tuple_difference (m T : nat) (next : nat -> path -> R) (j k : nat) (lambda : R) (l :
  path) : R :=
  law next 0 (Nat.min m T) (then_at l 0 j) - lambda * law next 0 (Nat.min m T) (then_at l 0 k).

(** ** Sums over a side *)

Lemma over_side_le n s k f g l : (forall l, in_range n l -> f l <= g l) -> in_range n l ->
  over_side n s k f l <= over_side n s k g l.
Proof.
  intros H. revert s l. induction k as [|k IH]; intros s l Hl; simpl; [auto|]. apply sum_le.
  intros b Hb. apply IH. apply in_range_then; assumption.
Qed.

Lemma over_side_ext n s k f g l : (forall l, f l = g l) -> over_side n s k f l = over_side n s k g
  l.
Proof. intros H. f_equal. extensionality l'. apply H. Qed.

Lemma over_side_scale n s k x f l : over_side n s k (fun l => x * f l) l = x * over_side n s k f l.
Proof.
  revert s l. induction k as [|k IH]; intros s l; simpl; [reflexivity|]. rewrite <- sum_scale.
  apply sum_ext. intros b _. apply IH.
Qed.

Lemma over_side_minus n s k f g l : over_side n s k (fun l => f l - g l) l =
  over_side n s k f l - over_side n s k g l.
Proof.
  revert s l. induction k as [|k IH]; intros s l; simpl; [reflexivity|]. rewrite <- sum_minus.
  apply sum_ext. intros b _. apply IH.
Qed.

Lemma over_side_sum n s k m (f : nat -> path -> R) l :
  over_side n s k (fun l => sum m (fun i => f i l)) l = sum m (fun i => over_side n s k (f i) l).
Proof.
  revert s l. induction k as [|k IH]; intros s l; simpl; [reflexivity|]. rewrite sum_swap.
  apply sum_ext. intros b _. apply IH.
Qed.

(** A value at a nearer position is carried along. *)
Lemma over_side_then n s k f l r a : (r < s)%nat ->
  over_side n s k f (then_at l r a) = over_side n s k (fun l => f (then_at l r a)) l.
Proof.
  revert s l. induction k as [|k IH]; intros s l H; simpl; [reflexivity|]. apply sum_ext.
  intros b _. rewrite <- IH by lia. f_equal. apply then_at_swap. lia.
Qed.

(** ** Laws *)

(** The laws that are still to come when positions below s are summed over. *)
Fixpoint behind (next : nat -> path -> R) (m T s k : nat) (l : path) : R :=
  match k with O => 1 | S r => law_behind next m T s l * behind next m T (S s) r l end.

Lemma law_behind_nonneg n m next T s l : chain_of_order n m next -> in_range n l ->
  0 <= law_behind next m T s l.
Proof. intros H Hl. unfold law_behind. destruct (Nat.leb _ _); [apply (next_nonneg _ _ _ H);
  assumption|lra]. Qed.

Lemma behind_nonneg n m next T s k l : chain_of_order n m next -> in_range n l ->
  0 <= behind next m T s k l.
Proof.
  intros H Hl. revert s. induction k as [|k IH]; intros s; simpl; [lra|].
  apply Rmult_le_pos; [apply (law_behind_nonneg n m); assumption|apply IH].
Qed.

Lemma behind_later n m next T s k l r b : chain_of_order n m next -> (r < s)%nat ->
  behind next m T s k (then_at l r b) = behind next m T s k l.
Proof.
  intros H. revert s. induction k as [|k IH]; intros s Hr; simpl; [reflexivity|].
  rewrite IH by lia. f_equal. unfold law_behind. destruct (Nat.leb _ _); [|reflexivity].
  apply (next_near _ _ _ H). lia.
Qed.

Lemma behind_end next m T s k l : (T < s + m)%nat -> behind next m T s k l = 1.
Proof.
  revert s. induction k as [|k IH]; intros s H; simpl; [reflexivity|]. rewrite IH by lia.
  unfold law_behind. destruct (Nat.leb_spec (s + m) T); [lia|ring].
Qed.

Lemma behind_last next m T s k l : behind next m T s (S k) l =
  behind next m T s k l * law_behind next m T (s + k) l.
Proof.
  revert s. induction k as [|k IH]; intros s; [simpl; rewrite Nat.add_0_r; ring|].
  change (behind next m T s (S (S k)) l) with (law_behind next m T s l * behind next m T (S s) (S
    k)
    l). rewrite IH. simpl behind. replace (S s + k)%nat with (s + S k)%nat by lia. ring.
Qed.

(** The law of the side: that of the nearest, and what comes behind. *)
Lemma law_split next m T l : law next 0 T l =
  law next 0 (Nat.min m T) l * behind next m T 1 T l.
Proof.
  destruct (Nat.le_gt_cases T m) as [H|H].
  - rewrite Nat.min_r, behind_end by lia. ring.
  - rewrite Nat.min_l by lia.
    assert (E : forall k, (m + k <= T)%nat -> law next 0 (m + k) l =
      law next 0 m l * behind next m T 1 k l).
    { induction k as [|k IH]; intros Hk; [rewrite Nat.add_0_r; simpl; ring|].
      rewrite Nat.add_succ_r. simpl law. rewrite IH, behind_last by lia. unfold law_behind.
      destruct (Nat.leb_spec (1 + k + m) T); [|lia]. replace (1 + k + m)%nat with (S (m + k)) by
        lia. ring. }
    replace T with (m + (T - m))%nat at 1 by lia. rewrite E by lia.
    assert (E' : forall k, behind next m T 1 (T - m + k) l = behind next m T 1 (T - m) l).
    { induction k as [|k IH]; [rewrite Nat.add_0_r; reflexivity|]. rewrite Nat.add_succ_r,
        behind_last, IH. unfold law_behind. destruct (Nat.leb_spec (1 + (T - m + k) + m) T); [lia|
        ring]. }
    rewrite <- (E' m). replace (T - m + m)%nat with T by lia. reflexivity.
Qed.

(** ** The sweep on tuples bounds every stream *)

Lemma tuples_swept n m next T eps s k g l : (0 < n)%nat -> chain_of_order n m next ->
  private_at n (fun i => (s + i)%nat) (fun i => eps (s + i)%nat) k g -> in_range n l ->
  exists x, 0 <= x /\ forall c,
  over_side n s k (fun l => c l * (behind next m T s k l * g l)) l <=
  x * tuple_sweep n m T next eps s k c l.
Proof.
  intros Hn H. revert s g. induction k as [|k IH]; intros s g Hg Hl.
  - exists (g l). split; [apply Hg; assumption|]. intros c. simpl. right. ring.
  - set (h := least_at n g s).
    assert (Hbelow : forall l a, (a < n)%nat -> h l <= g (then_at l s a)).
    { intros l' a Ha. apply (least_lower n (fun a => g (then_at l' s a))). assumption. }
    assert (Hatt : forall l, exists b, (b < n)%nat /\ h l = g (then_at l s b)).
    { intros l'. apply (least_attained n (fun a => g (then_at l' s a))). assumption. }
    destruct (IH (S s) h) as [x [Hx Hs]]; auto.
    { intros l' Hl'. split.
      - destruct (Hatt l') as [b [Hb ->]]. apply Hg. apply in_range_then; assumption.
      - intros i a Hi Ha. destruct (Hatt (then_at l' (S s + i) a)) as [b [Hb ->]].
        eapply Rle_trans; [apply (Hbelow l' b Hb)|]. rewrite then_at_swap by lia.
        replace (S s + i)%nat with (s + S i)%nat by lia.
        apply Hg; auto using in_range_then. lia. }
    exists x. split; [assumption|]. intros c. simpl tuple_sweep.
    eapply Rle_trans; [|apply Hs]. simpl over_side.
    rewrite (sum_ext n _ (fun b => over_side n (S s) k (fun l => c (then_at l s b) *
      (behind next m T s (S k) (then_at l s b) * g (then_at l s b))) l)).
    2: { intros b _. apply over_side_then. lia. }
    rewrite <- over_side_sum. apply over_side_le; [|assumption]. intros l' Hl'.
    rewrite <- sum_scale_r. apply sum_le. intros b Hb. simpl behind.
    rewrite (behind_later n) by (auto; lia).
    pose proof (law_behind_nonneg n m next T s (then_at l' s b) H (in_range_then n l' s b Hl'
      Hb)) as
      L0. pose proof (behind_nonneg n m next T (S s) k l' H Hl') as B0.
    pose proof (Hbelow l' b Hb) as G1.
    assert (G2 : g (then_at l' s b) <= exp (eps s) * h l').
    { destruct (Hatt l') as [d [Hd ->]].
      destruct (Hg _ (in_range_then n l' s b Hl' Hb)) as [_ G]. specialize (G 0%nat d).
      rewrite Nat.add_0_r, then_at_twice in G. apply G; [lia|assumption]. }
    set (L := law_behind next m T s (then_at l' s b)) in *. set (N := behind next m T (S s) k l')
      in
      *. assert (LN : 0 <= L * N) by (apply Rmult_le_pos; assumption).
    apply Rle_trans with ((L * N) * (c (then_at l' s b) * g (then_at l' s b))); [right; ring|].
    apply Rle_trans with ((L * N) * (Phi_on (exp (eps s)) c (then_at l' s b) * h l'));
      [|right; ring].
    apply Rmult_le_compat_l; [assumption|]. unfold Phi_on. destruct (Rlt_dec 0 _); nra.
Qed.

(** Where the sweep on tuples is at most 0, no output of any event-level private stream of the
    values at positions 0 .. T distinguishes j and k by more than e^eps lambda. *)
Theorem order_bounds n m next T eps g j k lambda : chain_of_order n m next ->
  (forall l s a, in_range n l -> (s <= T)%nat -> (a < n)%nat ->
     0 <= g l /\ g l <= exp (eps s) * g (then_at l s a)) ->
  (j < n)%nat -> (k < n)%nat ->
  tuple_sweep n m T next eps 1 T (tuple_difference m T next j k lambda) origin <= 0 ->
  given_side n T next g j <= exp (eps 0%nat) * lambda * given_side n T next g k.
Proof.
  intros H Hg Hj Hk Hsweep. assert (Hn : (0 < n)%nat) by lia.
  assert (H0 : in_range n origin) by (intros s; exact Hn).
  set (G := fun l => g (then_at l 0 k)).
  destruct (tuples_swept n m next T eps 1 T G origin Hn H) as [x [Hx Hs]]; auto.
  { intros l Hl. split; [apply (Hg _ 0%nat k); auto using in_range_then; lia|]. intros s a Hsk Ha.
    unfold G. rewrite then_at_swap by lia.
    apply (Hg (then_at l 0 k) (1 + s)%nat a); auto using in_range_then. }
  specialize (Hs (tuple_difference m T next j k lambda)).
  assert (N : x * tuple_sweep n m T next eps 1 T (tuple_difference m T next j k lambda) origin <=
    0)
    by nra.
  set (of := fun a => over_side n 1 T (fun l => law next 0 T (then_at l 0 a) * G l) origin).
  assert (Ek : given_side n T next g k = of k).
  { unfold given_side. rewrite over_side_then by lia. reflexivity. }
  assert (Law0 : forall from r l, in_range n l -> 0 <= law next from r l).
  { intros from r l Hl. induction r as [|r IH]; simpl; [lra|]. apply Rmult_le_pos;
    [exact IH|apply (next_nonneg _ _ _ H); assumption]. }
  assert (Ej : given_side n T next g j <= exp (eps 0%nat) * of j).
  { unfold given_side, of. rewrite over_side_then by lia. rewrite <- over_side_scale.
    apply over_side_le; [|assumption]. intros l Hl.
    pose proof (Law0 0%nat T _ (in_range_then n l 0 j Hl Hj)).
    destruct (Hg _ 0%nat k (in_range_then n l 0 j Hl Hj) (Nat.le_0_l T) Hk) as [_ K].
    rewrite then_at_twice in K. fold (G l) in K. nra. }
  assert (D : of j - lambda * of k <= 0).
  { eapply Rle_trans; [|exact N]. eapply Rle_trans; [|exact Hs]. right. unfold of.
    rewrite <- over_side_scale, <- over_side_minus. apply over_side_ext. intros l.
    rewrite !(law_split next m T), !(behind_later n) by (auto; lia). unfold tuple_difference.
      ring. }
  rewrite Ek. pose proof (exp_pos (eps 0%nat)). nra.
Qed.
