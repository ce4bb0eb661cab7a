(** The order of the columns: the optimum of two rows does not depend on it, and every pair of rows
    has one in which Theorems 8 and 9 apply. So Corollary 3 for all pairs. *)

From TPL Require Export Pieces.
Open Scope R_scope.

(** A permutation of 0, ..., n-1. *)
Definition permutation (n : nat) (order : nat -> nat) : Prop :=
  exists place, forall j, (j < n)%nat -> (order j < n)%nat /\ (place j < n)%nat /\
    order (place j) = j /\ place (order j) = j.

Lemma sum_permuted n order x : permutation n order -> sum n (fun j => x (order j)) = sum n x.
Proof.
  intros [place H].
  transitivity (sum n (fun j => sum n (fun i => if Nat.eqb i (order j) then x i else 0))).
  - apply sum_ext. intros j Hj. symmetry. apply sum_single. apply H. assumption.
  - rewrite sum_swap. apply sum_ext. intros i Hi. destruct (H i Hi) as [_ [Hp [E _]]].
    rewrite (sum_ext n _ (fun j => if Nat.eqb j (place i) then x i else 0)).
    + apply (sum_single n (place i) (fun _ => x i)). assumption.
    + intros j Hj. destruct (Nat.eqb_spec i (order j)) as [Ei|Ni], (Nat.eqb_spec j (place i))
      as [Ej|Nj]; try reflexivity.
      * exfalso. apply Nj. rewrite Ei. symmetry. apply H. assumption.
      * exfalso. apply Ni. rewrite Ej. symmetry. assumption.
Qed.

Lemma distribution_permuted n order q : permutation n order -> distribution n q ->
  distribution n (fun j => q (order j)).
Proof.
  intros Ho [H0 H1]. split; [|rewrite sum_permuted; assumption].
  intros j Hj. destruct Ho as [place H]. apply H0. apply H. assumption.
Qed.

Lemma optimum_permuted n order q d A : permutation n order -> distribution n q ->
  distribution n d -> 1 <= A ->
  optimum n (fun j => q (order j)) (fun j => d (order j)) A = optimum n q d A.
Proof.
  intros Ho Hq Hd HA. apply (optimum_equation n q d A); auto.
  rewrite <- (sum_permuted n order (fun j => positive_part (q j - _ * d j))) by assumption.
  apply (optimum_equation n (fun j => q (order j)) (fun j => d (order j)) A);
    auto using distribution_permuted.
Qed.

(** The order of the columns does not matter. *)
Theorem order_of_columns n order q d alpha v : permutation n order -> distribution n q ->
  distribution n d -> 0 <= alpha ->
  (is_optimum n (fun j => q (order j)) (fun j => d (order j)) alpha v <-> is_optimum n q d alpha
    v).
Proof.
  intros Ho Hq Hd Ha.
  pose proof (optimum_is_optimum n q d alpha Hq Hd Ha) as H.
  pose proof (optimum_is_optimum n _ _ alpha (distribution_permuted n order q Ho Hq)
    (distribution_permuted n order d Ho Hd) Ha) as H'.
  rewrite optimum_permuted in H' by auto using exp_ratio.
  split; intros Hv; [rewrite (is_optimum_unique _ _ _ _ _ _ Hv H')|rewrite (is_optimum_unique _ _ _
    _ _ _ Hv H)]; assumption.
Qed.

(** Every list of keys can be put in falling order. *)
Lemma sorted n (key : nat -> R) : exists order, permutation n order /\
  forall i j, (i <= j)%nat -> (j < n)%nat -> key (order j) <= key (order i).
Proof.
  revert key. induction n as [|n IH]; intros key; [exists (fun j => j); split;
    [exists (fun j => j)|]; intros; lia|].
  destruct (least_entry (S n) key) as [p [Hp Hleast]]; [lia|].
  set (swap := fun j => if Nat.eqb j n then p else if Nat.eqb j p then n else j).
  assert (Hswap : forall j, (j < S n)%nat -> (swap j < S n)%nat /\ swap (swap j) = j).
  { intros j Hj. unfold swap. destruct (Nat.eqb_spec j n) as [->|].
    - destruct (Nat.eqb_spec p n) as [E|]; [|rewrite Nat.eqb_refl]; auto.
    - destruct (Nat.eqb_spec j p) as [->|]; [rewrite Nat.eqb_refl; auto|].
      destruct (Nat.eqb_spec j n); [contradiction|]. destruct (Nat.eqb_spec j p); [contradiction|].
        auto. }
  destruct (IH (fun j => key (swap j))) as [order [[place H] Hsort]].
  exists (fun j => swap (if Nat.ltb j n then order j else j)). split.
  - exists (fun i => if Nat.ltb (swap i) n then place (swap i) else swap i). intros j Hj.
    destruct (Hswap j Hj) as [S1 S2].
    assert (Hlast : swap n = p) by (unfold swap; rewrite Nat.eqb_refl; reflexivity). repeat split.
    + apply Hswap. destruct (Nat.ltb_spec j n); [|assumption]. destruct (H j); lia.
    + destruct (Nat.ltb_spec (swap j) n); [|assumption]. destruct (H (swap j)); lia.
    + destruct (Nat.ltb_spec (swap j) n) as [L|L].
      * destruct (H (swap j) L) as [_ [P1 [P2 _]]]. destruct (Nat.ltb_spec (place (swap j)) n);
        [|lia]. rewrite P2. assumption.
      * destruct (Nat.ltb_spec (swap j) n); [lia|]. assumption.
    + destruct (Nat.ltb_spec j n) as [L|L].
      * destruct (H j L) as [O1 [_ [_ O2]]]. destruct (Hswap (order j)) as [_ S3]; [lia|].
        rewrite S3.
        destruct (Nat.ltb_spec (order j) n); [assumption|lia].
      * rewrite S2. destruct (Nat.ltb_spec j n); [lia|reflexivity].
  - intros i j Hij Hj. destruct (Nat.ltb_spec j n) as [L|L].
    + destruct (Nat.ltb_spec i n); [|lia]. apply Hsort; assumption.
    + replace j with n by lia. unfold swap at 1. rewrite Nat.eqb_refl. apply Hleast. apply Hswap.
      destruct (Nat.ltb_spec i n) as [Li|Li]; [destruct (H i Li); lia|lia].
Qed.

(** By q_j/(q_j + d_j), columns of 0 and 0 last. *)
Lemma falling_order n q d : distribution n q -> distribution n d -> exists order count,
  permutation n order /\
  falling n (fun j => q (order j)) (fun j => d (order j)) /\ first_above n count (fun j =>
    q (order j)) (fun j => d (order j)).
Proof.
  intros [Hq _] [Hd _]. set (key := fun j => if Req_EM_T (q j + d j) 0 then -1
    else q j / (q j + d j)).
  destruct (sorted n key) as [order [Ho Hsort]].
  assert (Hin : forall j, (j < n)%nat -> (order j < n)%nat) by (destruct Ho as [place H];
    intros j Hj; apply H; assumption).
  assert (Hkey : forall i j, (i < n)%nat -> (j < n)%nat -> key j <= key i -> q j * d i <= q i * d j
    /\ (q j > d j -> q i > d i)).
  { intros i j Hi Hj. unfold key. pose proof (Hq i Hi). pose proof (Hd i Hi). pose proof (Hq j Hj).
    pose proof (Hd j Hj).
    destruct (Req_EM_T (q i + d i) 0) as [Zi|Zi], (Req_EM_T (q j + d j) 0) as [Zj|Zj]; intros Hle.
    - replace (q i) with 0 by lra. replace (d i) with 0 by lra. replace (q j) with 0 by lra.
      replace (d j) with 0 by lra. lra.
    - assert (0 <= q j / (q j + d j)).
      { apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. lra. } lra.
    - replace (q j) with 0 by lra. replace (d j) with 0 by lra. lra.
    - assert (Hc : q j * (q i + d i) <= q i * (q j + d j)).
      { apply Rmult_le_compat_r with (r := (q i + d i) * (q j + d j)) in Hle; [|apply Rmult_le_pos;
        lra].
        replace (q j / (q j + d j) * ((q i + d i) * (q j + d j))) with (q j * (q i + d i)) in
          Hle by (field; lra).
        replace (q i / (q i + d i) * ((q i + d i) * (q j + d j))) with (q i * (q j + d j)) in
          Hle by (field; lra). assumption. }
      split; [lra|]. intros Hj'. destruct (Rlt_dec (d i) (q i)) as [|N]; [assumption|exfalso].
      assert (0 < d i) by lra. assert (q i * d j <= d i * d j) by (apply Rmult_le_compat_r; lra).
      assert (d j * d i < q j * d i) by (apply Rmult_lt_compat_r; lra). lra. }
  assert (Hf : falling n (fun j => q (order j)) (fun j => d (order j))).
  { intros i j Hij Hj. apply Hkey; [apply Hin; lia|apply Hin; assumption|apply Hsort;
    assumption]. }
  assert (Hc : forall m, (m <= n)%nat -> exists count, (count <= m)%nat /\
    forall j, (j < m)%nat -> ((j < count)%nat <-> q (order j) > d (order j))).
  { induction m as [|m IH]; intros Hm; [exists 0%nat; split; [lia|intros; lia]|].
    destruct IH as [count [Hcount H]]; [lia|].
    destruct (Rlt_dec (d (order m)) (q (order m))) as [L|L].
    - exists (S m). split; [lia|]. intros j Hj. split; [|lia]. intros _. apply (Hf j m);
      [lia|lia|exact L].
    - exists count. split; [lia|]. intros j Hj. destruct (Nat.eq_dec j m) as [->|];
      [|apply H; lia]. split; [lia|]. intros; lra. }
  destruct (Hc n (le_n n)) as [count [Hcount H]]. exists order, count.
  exact (conj Ho (conj Hf (conj Hcount H))).
Qed.

(** The optimum of a pair of rows whose columns are in such an order: the piece of the first m
    columns; 1 where no q_j is above d_j. *)
Lemma optimum_in_order n order count q d alpha : permutation n order -> distribution n q ->
  distribution n d -> falling n (fun i => q (order i)) (fun i => d (order i)) ->
  first_above n count (fun i => q (order i)) (fun i => d (order i)) -> 0 <= alpha ->
  (count = 0%nat /\ is_optimum n q d alpha 1) \/
  exists m, (1 <= m <= count)%nat /\
    ~ past_transition (fun i => q (order i)) (fun i => d (order i)) m (exp alpha) /\
    ((m < count)%nat ->
      past_transition (fun i => q (order i)) (fun i => d (order i)) (S m) (exp alpha)) /\
    is_optimum n q d alpha
      (piece (sum m (fun i => q (order i))) (sum m (fun i => d (order i))) (exp alpha)).
Proof.
  intros Ho Hq Hd Hf Hc Ha. pose proof (distribution_permuted n order q Ho Hq) as Hq'.
  pose proof (distribution_permuted n order d Ho Hd) as Hd'.
  destruct count as [|count]; [left|right].
  - split; [reflexivity|]. replace 1 with (optimum n q d (exp alpha));
      [apply optimum_is_optimum; auto|].
    symmetry. apply optimum_equation; auto using exp_ratio.
    rewrite <- (sum_permuted n order (fun i => positive_part (q i - 1 * d i))) by assumption.
    rewrite (sum_ext n _ (fun _ => 0)), sum_zero; [ring|]. intros i Hi. unfold positive_part.
    apply Rmax_left. destruct Hc as [_ Hc]. destruct (Hc i Hi) as [_ Hc'].
    apply Rnot_lt_le. intros L. assert (i < 0)%nat; [apply Hc'; lra|lia].
  - destruct (theorem_9_all n (S count) _ _ (exp alpha) Hq' Hd' (exp_ratio alpha Ha) Hf Hc
      ltac:(lia)) as [m [Hm [H1 H2]]].
    exists m. refine (conj Hm (conj H1 (conj H2 _))). apply (order_of_columns n order); auto.
    apply theorem_9 with (S count); assumption.
Qed.

(** Corollary 3 [col:L_func]: L is the greatest log f_{q,d} over all ordered pairs of rows, f_{q,d}
    being the optimum of a pair; and f_{q,d} is, in the columns' falling order of q_j/d_j and
    between the transition points of Theorem 9, the piece of the first m columns; 1 where no q_j is
    above d_j. *)
Theorem corollary_3 n P : (0 < n)%nat -> stochastic n P ->
  (forall alpha, 0 <= alpha ->
   (exists j k v, (j < n)%nat /\ (k < n)%nat /\ is_optimum n (P j) (P k) alpha v /\
     loss n P alpha = ln v) /\
   forall j k v, (j < n)%nat -> (k < n)%nat -> is_optimum n (P j) (P k) alpha v ->
     ln v <= loss n P alpha) /\
  forall j k, (j < n)%nat -> (k < n)%nat -> exists order count, permutation n order /\
  let q := fun i => P j (order i) in let d := fun i => P k (order i) in
  falling n q d /\ first_above n count q d /\ forall alpha, 0 <= alpha ->
  (count = 0%nat /\ is_optimum n (P j) (P k) alpha 1) \/
  exists m, (1 <= m <= count)%nat /\
    ~ past_transition q d m (exp alpha) /\ ((m < count)%nat -> past_transition q d (S m)
      (exp alpha)) /\
    is_optimum n (P j) (P k) alpha (piece (sum m q) (sum m d) (exp alpha)).
Proof.
  intros Hn HP. split; [intros alpha Ha; apply equation_24; assumption|]. intros j k Hj Hk.
  destruct (falling_order n (P j) (P k) (HP j Hj) (HP k Hk)) as [order [count [Ho [Hf Hc]]]].
  exists order, count. split; [assumption|]. intros q d. split; [assumption|].
  split; [assumption|]. intros alpha Ha. exact (optimum_in_order n order count (P j) (P k) alpha
    Ho (HP j Hj) (HP k Hk) Hf Hc Ha).
Qed.

(** ** What Algorithm 2 [algo:precomp1] lists *)

(** What Algorithm 2 does for each pair of rows: the columns of q_j > d_j first, by q_j/d_j. *)
Definition columns_ordered (n : nat) (P : nat -> nat -> R) (order : nat -> nat -> nat -> nat)
  (count : nat -> nat -> nat) : Prop :=
  forall j k, (j < n)%nat -> (k < n)%nat ->
  let q := fun i => P j (order j k i) in let d := fun i => P k (order j k i) in
  permutation n (order j k) /\ falling n q d /\ first_above n (count j k) q d.

(** The entries of qM and dM: of each pair of rows, the sums of its first m columns. *)
Definition listed (n : nat) (P : nat -> nat -> R) (order : nat -> nat -> nat -> nat)
  (count : nat -> nat -> nat) (q d : R) : Prop :=
  exists j k m, (j < n)%nat /\ (k < n)%nat /\ (1 <= m <= count j k)%nat /\
  q = sum m (fun i => P j (order j k i)) /\ d = sum m (fun i => P k (order j k i)).

Lemma first_columns n order m : permutation n order -> (m <= n)%nat -> exists S, forall x,
  sum_on n S x = sum m (fun i => x (order i)).
Proof.
  intros Ho Hm. pose proof Ho as [place H]. exists (fun i => prefix m (place i)). intros x.
  unfold sum_on. rewrite <- (sum_permuted n order) by assumption.
  rewrite <- (sum_on_prefix n m (fun i => x (order i))) by assumption. apply sum_ext.
  intros i Hi. destruct (H i Hi) as [_ [_ [_ ->]]]. reflexivity.
Qed.
