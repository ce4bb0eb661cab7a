(** Finite sums, finite maxima and sets of indices: the little of real arithmetic that all other
    files use.

    A vector of length n is a function nat -> R of which the first n values count; a matrix is a
    function of a row and a column. Indices run from 0 to n - 1. *)

From Coq Require Export Reals Lra Lia Psatz Arith Bool.
Open Scope R_scope.

(** x_0 + ... + x_(n-1) *)
Fixpoint sum (n : nat) (x : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum m x + x m
  end.

(** The scalar product of two vectors. *)
Definition dot (n : nat) (x y : nat -> R) : R := sum n (fun j => x j * y j).

(** A set of indices, and the part of a sum that is on it: q_S. *)
Definition set := nat -> bool.
Definition sum_on (n : nat) (S : set) (x : nat -> R) : R := sum n (fun j => if S j then x j
  else 0).

(** A probability distribution, and a matrix whose rows are such: Pr(column | row). *)
Definition distribution (n : nat) (q : nat -> R) : Prop := (forall j, (j < n)%nat -> 0 <= q j) /\
  sum n q = 1.
Definition stochastic (n : nat) (P : nat -> nat -> R) : Prop := forall j, (j < n)%nat ->
  distribution n (P j).

(** The greater of 1 and x_0, ..., x_(n-1). *)
Fixpoint greatest (n : nat) (x : nat -> R) : R :=
  match n with
  | O => 1
  | S m => Rmax (greatest m x) (x m)
  end.

(** The greatest value of f over all subsets of {0, ..., n-1}. *)
Definition with_member (m : nat) (S : set) : set := fun j => if Nat.eqb j m then true else S j.
Fixpoint greatest_set (n : nat) (f : set -> R) : R :=
  match n with
  | O => f (fun _ => false)
  | S m => Rmax (greatest_set m f) (greatest_set m (fun S => f (with_member m S)))
  end.

(** ** Sums *)

Lemma sum_ext n x y : (forall j, (j < n)%nat -> x j = y j) -> sum n x = sum n y.
Proof. induction n; simpl; intros H; [reflexivity|]. rewrite IHn, H; auto. Qed.

Lemma sum_plus n x y : sum n (fun j => x j + y j) = sum n x + sum n y.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_minus n x y : sum n (fun j => x j - y j) = sum n x - sum n y.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_scale n c x : sum n (fun j => c * x j) = c * sum n x.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_scale_r n c x : sum n (fun j => x j * c) = sum n x * c.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_zero n : sum n (fun _ => 0) = 0.
Proof. induction n; simpl; lra. Qed.

Lemma sum_le n x y : (forall j, (j < n)%nat -> x j <= y j) -> sum n x <= sum n y.
Proof.
  induction n; simpl; intros H; [lra|].
  assert (sum n x <= sum n y) by (apply IHn; auto). assert (x n <= y n) by auto. lra.
Qed.

Lemma sum_nonneg n x : (forall j, (j < n)%nat -> 0 <= x j) -> 0 <= sum n x.
Proof. intros H. rewrite <- (sum_zero n). apply sum_le. auto. Qed.

Lemma sum_swap n m (x : nat -> nat -> R) :
  sum n (fun i => sum m (fun j => x i j)) = sum m (fun j => sum n (fun i => x i j)).
Proof.
  induction n; simpl.
  - symmetry. apply sum_zero.
  - rewrite IHn, <- sum_plus. reflexivity.
Qed.

Lemma sum_term n x k : (forall j, (j < n)%nat -> 0 <= x j) -> (k < n)%nat -> x k <= sum n x.
Proof.
  induction n; simpl; intros H Hk; [lia|].
  assert (0 <= sum n x) by (apply sum_nonneg; auto).
  assert (0 <= x n) by auto.
  destruct (Nat.eq_dec k n) as [->|]; [lra|].
  assert (x k <= sum n x) by (apply IHn; auto; lia). lra.
Qed.

Lemma sum_zero_term n x k :
  (forall j, (j < n)%nat -> 0 <= x j) -> sum n x = 0 -> (k < n)%nat -> x k = 0.
Proof.
  intros H E Hk. assert (x k <= sum n x) by (apply sum_term; auto). assert (0 <= x k) by auto. lra.
Qed.

Lemma sum_pos_term n x : 0 < sum n x -> exists k, (k < n)%nat /\ 0 < x k.
Proof.
  induction n; simpl; intros H; [lra|].
  destruct (Rlt_dec 0 (x n)) as [?|?]; [exists n; auto|].
  destruct IHn as [k [Hk ?]]; [lra|]. exists k. split; auto.
Qed.

(** A sum in which one index alone counts. *)
Lemma sum_single n k (x : nat -> R) :
  (k < n)%nat -> sum n (fun j => if Nat.eqb j k then x j else 0) = x k.
Proof.
  induction n; simpl; intros Hk; [lia|].
  destruct (Nat.eqb_spec n k) as [->|Hne].
  - rewrite (sum_ext k _ (fun _ => 0)), sum_zero; [lra|].
    intros j Hj. destruct (Nat.eqb_spec j k); [lia|reflexivity].
  - rewrite IHn by lia. lra.
Qed.

Lemma dot_ext n x y x' y' :
  (forall j, (j < n)%nat -> x j = x' j) -> (forall j, (j < n)%nat -> y j = y' j) ->
    dot n x y = dot n x' y'.
Proof. intros H H'. apply sum_ext. intros j Hj. rewrite H, H' by assumption. reflexivity. Qed.

Lemma dot_nonneg n x y :
  (forall j, (j < n)%nat -> 0 <= x j) -> (forall j, (j < n)%nat -> 0 <= y j) -> 0 <= dot n x y.
Proof. intros H H'. apply sum_nonneg. intros j Hj. apply Rmult_le_pos; auto. Qed.

Lemma dot_le n q x y :
  (forall j, (j < n)%nat -> 0 <= q j) -> (forall j, (j < n)%nat -> x j <= y j) ->
    dot n q x <= dot n q y.
Proof. intros H H'. apply sum_le. intros j Hj. apply Rmult_le_compat_l; auto. Qed.

Lemma dot_scale n q c x : dot n q (fun j => c * x j) = c * dot n q x.
Proof. unfold dot. rewrite <- sum_scale. apply sum_ext. intros; ring. Qed.

Lemma dot_const n q c : distribution n q -> dot n q (fun _ => c) = c.
Proof. intros [_ H]. unfold dot. rewrite sum_scale_r, H. lra. Qed.

Lemma dot_between n q x lo hi :
  distribution n q -> (forall j, (j < n)%nat -> lo <= x j <= hi) -> lo <= dot n q x <= hi.
Proof.
  intros Hq H.
  pose proof (dot_le n q (fun _ => lo) x (proj1 Hq) (fun j Hj => proj1 (H j Hj))).
  pose proof (dot_le n q x (fun _ => hi) (proj1 Hq) (fun j Hj => proj2 (H j Hj))).
  rewrite dot_const in * by assumption. lra.
Qed.

Lemma dot_pos n q x :
  distribution n q -> (forall j, (j < n)%nat -> 0 < x j) -> 0 < dot n q x.
Proof.
  intros [H0 H1] Hx.
  destruct (sum_pos_term n q) as [k [Hk Hq]]; [lra|].
  assert (q k * x k <= dot n q x).
  { apply (sum_term n (fun j => q j * x j)); auto.
    intros j Hj. apply Rmult_le_pos; auto. left; auto. }
  assert (0 < q k * x k) by (apply Rmult_lt_0_compat; auto). lra.
Qed.

(** ** Parts of a sum *)

Lemma sum_on_ext n S S' x : (forall j, (j < n)%nat -> S j = S' j) -> sum_on n S x = sum_on n S' x.
Proof. intros H. apply sum_ext. intros j Hj. rewrite H; auto. Qed.

Lemma sum_on_nonneg n S x : (forall j, (j < n)%nat -> 0 <= x j) -> 0 <= sum_on n S x.
Proof. intros H. apply sum_nonneg. intros j Hj. destruct (S j); [auto|lra]. Qed.

Lemma sum_on_le n S x : (forall j, (j < n)%nat -> 0 <= x j) -> sum_on n S x <= sum n x.
Proof. intros H. apply sum_le. intros j Hj. specialize (H j Hj). destruct (S j); lra. Qed.

Lemma sum_on_bounds n S q : distribution n q -> 0 <= sum_on n S q <= 1.
Proof.
  intros [H0 H1]. split; [apply sum_on_nonneg; auto|]. rewrite <- H1. apply sum_on_le; auto.
Qed.

Lemma sum_split n S x : sum n x = sum_on n S x + sum_on n (fun j => negb (S j)) x.
Proof.
  unfold sum_on. rewrite <- sum_plus. apply sum_ext. intros j _. destruct (S j); simpl; lra.
Qed.

Lemma sum_on_combine n S a x b y :
  sum_on n S (fun j => a * x j + b * y j) = a * sum_on n S x + b * sum_on n S y.
Proof.
  unfold sum_on. rewrite <- !sum_scale, <- sum_plus. apply sum_ext. intros j _. destruct (S j);
    lra.
Qed.

(** ** Least and greatest entries *)

Lemma least_entry n x : (0 < n)%nat -> exists k, (k < n)%nat /\ forall j, (j < n)%nat ->
  x k <= x j.
Proof.
  induction n as [|n IH]; intros Hn; [lia|].
  destruct (Nat.eq_dec n 0) as [->|Hne].
  - exists 0%nat. split; [lia|]. intros j Hj. replace j with 0%nat by lia. lra.
  - destruct IH as [k [Hk H]]; [lia|].
    destruct (Rle_dec (x k) (x n)).
    + exists k. split; [lia|]. intros j Hj. destruct (Nat.eq_dec j n) as [->|]; [lra|apply H; lia].
    + exists n. split; [lia|]. intros j Hj. destruct (Nat.eq_dec j n) as [->|]; [lra|].
      assert (x k <= x j) by (apply H; lia). lra.
Qed.

Lemma greatest_one n x : 1 <= greatest n x.
Proof. induction n; simpl; [lra|]. pose proof (Rmax_l (greatest n x) (x n)). lra. Qed.

Lemma greatest_upper n x k : (k < n)%nat -> x k <= greatest n x.
Proof.
  induction n; simpl; intros Hk; [lia|].
  destruct (Nat.eq_dec k n) as [->|]; [apply Rmax_r|].
  assert (x k <= greatest n x) by (apply IHn; lia).
  pose proof (Rmax_l (greatest n x) (x n)). lra.
Qed.

Lemma greatest_least n x u : 1 <= u -> (forall k, (k < n)%nat -> x k <= u) -> greatest n x <= u.
Proof. induction n; simpl; intros Hu H; [lra|]. apply Rmax_lub; auto. Qed.

Lemma greatest_attained n x : greatest n x = 1 \/ exists k, (k < n)%nat /\ greatest n x = x k.
Proof.
  induction n; simpl; [left; reflexivity|].
  unfold Rmax. destruct (Rle_dec (greatest n x) (x n)).
  - right. exists n. auto.
  - destruct IHn as [?|[k [? ?]]]; [left; auto|right; exists k; auto].
Qed.

(** f looks at the first n members of its argument alone. *)
Definition looks_at (n : nat) (f : set -> R) : Prop :=
  forall S S', (forall j, (j < n)%nat -> S j = S' j) -> f S = f S'.

Lemma greatest_set_upper n f S : looks_at n f -> f S <= greatest_set n f.
Proof.
  revert f S. induction n as [|n IH]; intros f S Hf; simpl.
  - rewrite (Hf S (fun _ => false)); [lra|]. intros; lia.
  - destruct (S n) eqn:E.
    + eapply Rle_trans; [|apply Rmax_r].
      rewrite (Hf S (with_member n S)).
      * apply (IH (fun S' => f (with_member n S'))).
        intros S1 S2 H. apply Hf. intros j Hj. unfold with_member.
        destruct (Nat.eqb_spec j n); [reflexivity|apply H; lia].
      * intros j Hj. unfold with_member. destruct (Nat.eqb_spec j n) as [->|]; congruence.
    + eapply Rle_trans; [|apply Rmax_l].
      set (f0 := fun S' : set => f (fun j => if Nat.eqb j n then false else S' j)).
      assert (HH : forall m (h h' : set -> R), (m <= n)%nat ->
                   (forall S', (forall j, (m <= j)%nat -> S' j = false) -> h S' = h' S') ->
                   greatest_set m h = greatest_set m h').
      { clear. induction m as [|m IHm]; intros h h' Hm H; simpl.
        - apply H. reflexivity.
        - f_equal; apply IHm; try lia; intros S' HS'; apply H; intros j Hj.
          + apply HS'. lia.
          + unfold with_member. destruct (Nat.eqb_spec j m); [lia|apply HS'; lia]. }
      rewrite (HH n f f0); [|lia|].
      * replace (f S) with (f0 S).
        -- apply IH. intros S1 S2 H. apply Hf. intros j Hj.
           destruct (Nat.eqb_spec j n); [reflexivity|apply H; lia].
        -- apply Hf. intros j Hj. destruct (Nat.eqb_spec j n) as [->|]; congruence.
      * intros S' HS'. apply Hf. intros j Hj.
        destruct (Nat.eqb_spec j n) as [->|]; [apply HS'; lia|reflexivity].
Qed.

Lemma greatest_set_attained n f : exists S, greatest_set n f = f S.
Proof.
  revert f. induction n as [|n IH]; intros f; simpl.
  - exists (fun _ => false). reflexivity.
  - unfold Rmax. destruct (Rle_dec _ _).
    + destruct (IH (fun S => f (with_member n S))) as [S ->]. exists (with_member n S).
      reflexivity.
    + apply IH.
Qed.

(** The positive part. *)
Definition positive_part (x : R) : R := Rmax 0 x.

Lemma positive_part_nonneg x : 0 <= positive_part x.
Proof. apply Rmax_l. Qed.

Lemma positive_part_above x : x <= positive_part x.
Proof. apply Rmax_r. Qed.

(** The set on which x is above 0. *)
Definition above_zero (x : nat -> R) : set := fun j => if Rlt_dec 0 (x j) then true else false.

Lemma sum_positive_part n x : sum n (fun j => positive_part (x j)) = sum_on n (above_zero x) x.
Proof.
  apply sum_ext. intros j _. unfold above_zero, positive_part, Rmax.
  destruct (Rlt_dec 0 (x j)), (Rle_dec 0 (x j)); lra.
Qed.

Lemma sum_on_positive_part n S x : sum_on n S x <= sum n (fun j => positive_part (x j)).
Proof.
  apply sum_le. intros j _. pose proof (positive_part_nonneg (x j)).
    pose proof (positive_part_above (x j)).
  destruct (S j); lra.
Qed.
