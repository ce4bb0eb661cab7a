(** An instance of each theorem: its hypotheses can be met, and what it then says is what the paper's examples say. *)

From TPL Require Export Pieces.
Open Scope R_scope.

(** A vector, and a matrix by its rows. *)
Fixpoint vector (x : list R) (j : nat) : R :=
  match x, j with
  | nil, _ => 0
  | cons y _, O => y
  | cons _ z, S i => vector z i
  end.
Definition matrix (rows : list (list R)) (j : nat) : nat -> R := vector (List.nth j rows nil).

Declare Scope rows_scope.
Notation "[ x , .. , y ]" := (cons x .. (cons y nil) ..) : rows_scope.
Open Scope rows_scope.

(** All indices below a given number, one by one; sums of given vectors, written out. *)
Ltac each j H := repeat (destruct j as [|j]; [|try (exfalso; lia)]); try (exfalso; lia); try clear H.
Ltac written_out := cbv [matrix vector List.nth sum_on sum dot prefix Nat.ltb Nat.leb negb] in *.
Ltac distributed := let j := fresh "j" in let H := fresh "H" in
  split; [intros j H; each j H; written_out; lra|written_out; lra].
Ltac rows_distributed := let i := fresh "i" in let H := fresh "H" in intros i H; each i H; distributed.

Lemma ln_0 x : 1 <= x -> 0 <= ln x.
Proof. intros H. destruct (Req_dec x 1) as [->|]; [rewrite ln_1; lra|]. rewrite <- ln_1. left. apply ln_increasing; lra. Qed.

Lemma exp_ln_of x : 0 < x -> exp (ln x) = x.
Proof. apply exp_ln. Qed.

(** The matrix of Example 2, rows (0.8, 0.2) and (0, 1), and the two rows of the worked example of Algorithm 2, sorted:
    q = (0.3, 0.2, 0.5), d = (0, 0.1, 0.9). *)
Definition moderate : nat -> nat -> R := matrix [[4 / 5, 1 / 5], [0, 1]].
Definition worked_q : nat -> R := vector [3 / 10, 2 / 10, 5 / 10].
Definition worked_d : nat -> R := vector [0, 1 / 10, 9 / 10].

Lemma moderate_stochastic : stochastic 2 moderate.
Proof. unfold moderate. rows_distributed. Qed.

Lemma worked_distributions : distribution 3 worked_q /\ distribution 3 worked_d.
Proof. unfold worked_q, worked_d. split; distributed. Qed.

Lemma worked_falling : falling 3 worked_q worked_d.
Proof.
  intros i j Hij Hj. unfold worked_q, worked_d. each j Hj; each i Hij; written_out; split; intros; lra.
Qed.

Lemma worked_first_above : first_above 3 2 worked_q worked_d.
Proof.
  unfold worked_q, worked_d. split; [lia|]. intros j Hj. each j Hj; written_out; split; intros; try lia; lra.
Qed.

(** ** The program *)

Example instance_theorem_5 : is_optimum 2 (moderate 0) (moderate 1) (ln 2) (9 / 5).
Proof.
  replace (9 / 5) with (piece (sum_on 2 (prefix 1) (moderate 0)) (sum_on 2 (prefix 1) (moderate 1)) (exp (ln 2))).
  - pose proof moderate_stochastic as H. apply theorem_5; auto.
    + apply ln_0; lra.
    + intros j Hj HS. unfold piece_of, piece, moderate in *. rewrite exp_ln by lra. each j Hj; written_out; try discriminate; lra.
    + intros j Hj HS. unfold piece_of, piece, moderate in *. rewrite exp_ln by lra. each j Hj; written_out; try discriminate; lra.
  - unfold piece, moderate. rewrite exp_ln by lra. written_out. lra.
Qed.

Example instance_corollary_2 : condition_1 2 (moderate 0) (moderate 1) (prefix 1) 2 /\
  condition_2 2 (moderate 0) (moderate 1) (prefix 1) 2 /\ moderate 0 0 > moderate 1 0.
Proof.
  pose proof moderate_stochastic as H.
  assert (H1 : condition_1 2 (moderate 0) (moderate 1) (prefix 1) 2).
  { intros j Hj HS. unfold piece_of, piece, moderate in *. each j Hj; written_out; try discriminate; lra. }
  assert (H2 : condition_2 2 (moderate 0) (moderate 1) (prefix 1) 2).
  { intros j Hj HS. unfold piece_of, piece, moderate in *. each j Hj; written_out; try discriminate; lra. }
  split; [assumption|]. split; [assumption|].
  apply (corollary_2 2 _ _ (prefix 1) 2); auto; try lra; reflexivity.
Qed.

Example instance_lemma_1 : dot 2 (vector [1, -1]) (vector [3 / 2, 5 / 4]) <= 1.
Proof.
  eapply Rle_trans; [apply (lemma_1 2 _ 2 1); [lra|lra|intros j Hj; each j Hj; written_out; lra]|].
  unfold dot, sum, vector. destruct (Rlt_dec 0 1), (Rlt_dec 0 (-1)); lra.
Qed.

Example instance_box_rule : dot 2 (moderate 0) (vector [0, 0]) <= 9 / 5 * dot 2 (moderate 1) (vector [0, 0]).
Proof.
  pose proof moderate_stochastic as H. apply (box_rule 2 _ _ 2); auto; try lra.
  - unfold positive_part, sum, Rmax, moderate. written_out. repeat destruct (Rle_dec _ _); lra.
  - split; intros j; [intros Hj; each j Hj; written_out; lra|].
    intros k Hj Hk. each j Hj; each k Hk; written_out; lra.
Qed.

(** Where (22) or (23) fails at the start, Algorithm 1 takes a round; at any level it has an answer. *)
Example instance_algorithm_1 : exists count, (count <= 3)%nat /\
  is_optimum 3 worked_q worked_d (ln 5) (piece_of 3 worked_q worked_d (rounds 3 worked_q worked_d 5 count) 5).
Proof.
  destruct worked_distributions as [Hq Hd].
  destruct (algorithm_1 3 worked_q worked_d (ln 5) Hq Hd (ln_0 5 ltac:(lra))) as [count [Hc [_ [_ [_ H]]]]].
  rewrite exp_ln in H by lra. exists count. auto.
Qed.

(** ** The loss function *)

Example instance_equation_24 : ln (9 / 5) <= loss 2 moderate (ln 2).
Proof.
  apply (proj2 (equation_24 2 moderate (ln 2) ltac:(lia) moderate_stochastic (ln_0 2 ltac:(lra))) 0%nat 1%nat).
  - lia.
  - lia.
  - apply instance_theorem_5.
Qed.

Example instance_remark_1 : 0 <= loss 2 moderate 1 <= 1.
Proof. apply remark_1; [apply moderate_stochastic|lra]. Qed.

Example instance_loss_slow : loss 2 moderate 2 - loss 2 moderate 1 <= 1.
Proof. pose proof (loss_slow 2 moderate 1 2 moderate_stochastic ltac:(lra)). lra. Qed.

Example instance_theorem_6 : loss 2 (matrix [[1 / 3, 2 / 3], [1 / 3, 2 / 3]]) 1 = 0.
Proof.
  apply theorem_6; [rows_distributed| |lra].
  intros j k i Hj Hk Hi. each j Hj; each k Hk; each i Hi; reflexivity.
Qed.

(** Disjoint supports without a 1 against a 0: the paper's Theorem 7 does not see them. *)
Definition halves : nat -> nat -> R :=
  matrix [[1 / 2, 1 / 2, 0, 0], [0, 0, 1 / 2, 1 / 2], [1 / 4, 1 / 4, 1 / 4, 1 / 4], [1 / 4, 1 / 4, 1 / 4, 1 / 4]].

Example instance_theorem_7 : loss 4 halves 1 = 1.
Proof.
  apply (theorem_7 4 halves 0 1); try lia; try lra; [unfold halves; rows_distributed|].
  intros j Hj. unfold halves. each j Hj; written_out; auto.
Qed.

(** ** Pieces *)

Example instance_theorem_8 : exists m, (1 <= m <= 2)%nat /\ forall j, (j < 3)%nat -> prefix 2 j = prefix m j.
Proof.
  destruct worked_distributions as [Hq Hd].
  apply (theorem_8 3 2 worked_q worked_d (prefix 2) 2); auto using worked_falling, worked_first_above; try lra; try lia;
    intros j Hj HS; unfold piece_of, piece, worked_q, worked_d in *; each j Hj; written_out; try discriminate; lra.
Qed.

(** Below log(13/3), the transition point of the paper's worked example, both columns count; at it and above, one. *)
Example instance_transition : transition worked_q worked_d 2 = ln (13 / 3).
Proof. unfold transition, worked_q, worked_d. f_equal. simpl. field. Qed.

Example instance_theorem_9_below : is_optimum 3 worked_q worked_d (ln 2) (15 / 11).
Proof.
  destruct worked_distributions as [Hq Hd].
  replace (15 / 11) with (piece (sum 2 worked_q) (sum 2 worked_d) (exp (ln 2))).
  - apply (theorem_9 3 2); auto using worked_falling, worked_first_above; try lia.
    + apply ln_0; lra.
    + unfold past_transition, worked_q, worked_d. rewrite exp_ln by lra. simpl. lra.
  - unfold piece, worked_q, worked_d. rewrite exp_ln by lra. simpl. lra.
Qed.

Example instance_theorem_9_above : is_optimum 3 worked_q worked_d (ln 5) (11 / 5).
Proof.
  destruct worked_distributions as [Hq Hd].
  replace (11 / 5) with (piece (sum 1 worked_q) (sum 1 worked_d) (exp (ln 5))).
  - apply (theorem_9 3 2); auto using worked_falling, worked_first_above; try lia.
    + apply ln_0; lra.
    + unfold past_transition, worked_q, worked_d. simpl. lra.
    + intros _. unfold past_transition, worked_q, worked_d. rewrite exp_ln by lra. simpl. lra.
  - unfold piece, worked_q, worked_d. rewrite exp_ln by lra. simpl. lra.
Qed.

Example instance_theorem_10 : piece (1 / 2) 0 (exp 2) >= piece (1 / 4) 0 (exp 2).
Proof.
  assert (H : forall a, 0 < a -> piece (1 / 2) 0 (exp a) >= piece (1 / 4) 0 (exp a)).
  { intros a Ha. assert (1 < exp a) by (rewrite <- exp_0; apply exp_increasing; lra). unfold piece.
    apply Rle_ge. apply Rmult_le_compat_r; [|lra]. rewrite Rmult_0_l, Rplus_0_l, Rinv_1. lra. }
  apply (theorem_10 (1 / 2) 0 (1 / 4) 0 1 3 2); try lra; apply H; lra.
Qed.
