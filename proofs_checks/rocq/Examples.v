(** An instance of each theorem: its hypotheses can be met, and what it then says is what the
    paper's examples say. *)

From TPL Require Export Lookup Budgets Tight Criterion.
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
Ltac each j H := repeat (destruct j as [|j]; [|try (exfalso; lia)]); try (exfalso; lia);
  try clear H.
Ltac written_out := cbv [matrix vector List.nth sum_on sum dot prefix Nat.ltb Nat.leb Nat.eqb negb]
  in *.
Ltac distributed := let j := fresh "j" in let H := fresh "H" in
  split; [intros j H; each j H; written_out; lra|written_out; lra].
Ltac rows_distributed := let i := fresh "i" in let H := fresh "H" in intros i H; each i H;
  distributed.

Lemma ln_0 x : 1 <= x -> 0 <= ln x.
Proof. intros H. destruct (Req_dec x 1) as [->|]; [rewrite ln_1; lra|]. rewrite <- ln_1. left.
  apply ln_increasing; lra. Qed.

Lemma exp_ln_of x : 0 < x -> exp (ln x) = x.
Proof. apply exp_ln. Qed.

(** The matrix of Example 2, rows (0.8, 0.2) and (0, 1), and the two rows of the worked example of
    Algorithm 2, sorted: q = (0.3, 0.2, 0.5), d = (0, 0.1, 0.9). *)
Definition moderate : nat -> nat -> R := matrix [[4 / 5, 1 / 5], [0, 1]].
Definition worked_q : nat -> R := vector [3 / 10, 2 / 10, 5 / 10].
Definition worked_d : nat -> R := vector [0, 1 / 10, 9 / 10].

Lemma moderate_stochastic : stochastic 2 moderate.
Proof. unfold moderate. rows_distributed. Qed.

Lemma worked_distributions : distribution 3 worked_q /\ distribution 3 worked_d.
Proof. unfold worked_q, worked_d. split; distributed. Qed.

Lemma worked_falling : falling 3 worked_q worked_d.
Proof.
  intros i j Hij Hj. unfold worked_q, worked_d. each j Hj; each i Hij; written_out; split; intros;
    lra.
Qed.

Lemma worked_first_above : first_above 3 2 worked_q worked_d.
Proof.
  unfold worked_q, worked_d. split; [lia|]. intros j Hj. each j Hj; written_out; split; intros;
    try lia; lra.
Qed.

(** ** The program *)

Example instance_theorem_5 : is_optimum 2 (moderate 0) (moderate 1) (ln 2) (9 / 5).
Proof.
  replace (9 / 5) with (piece (sum_on 2 (prefix 1) (moderate 0)) (sum_on 2 (prefix 1) (moderate 1))
    (exp (ln 2))).
  - pose proof moderate_stochastic as H. apply theorem_5; auto.
    + apply ln_0; lra.
    + intros j Hj HS. unfold piece_of, piece, moderate in *. rewrite exp_ln by lra.
      each j Hj; written_out; try discriminate; lra.
    + intros j Hj HS. unfold piece_of, piece, moderate in *. rewrite exp_ln by lra.
      each j Hj; written_out; try discriminate; lra.
  - unfold piece, moderate. rewrite exp_ln by lra. written_out. lra.
Qed.

Example instance_corollary_2 : condition_1 2 (moderate 0) (moderate 1) (prefix 1) 2 /\
  condition_2 2 (moderate 0) (moderate 1) (prefix 1) 2 /\ moderate 0 0 > moderate 1 0.
Proof.
  pose proof moderate_stochastic as H.
  assert (H1 : condition_1 2 (moderate 0) (moderate 1) (prefix 1) 2).
  { intros j Hj HS. unfold piece_of, piece, moderate in *. each j Hj; written_out;
    try discriminate; lra. }
  assert (H2 : condition_2 2 (moderate 0) (moderate 1) (prefix 1) 2).
  { intros j Hj HS. unfold piece_of, piece, moderate in *. each j Hj; written_out;
    try discriminate; lra. }
  split; [assumption|]. split; [assumption|].
  apply (corollary_2 2 _ _ (prefix 1) 2); auto; try lra; reflexivity.
Qed.

Example instance_lemma_1 : dot 2 (vector [1, -1]) (vector [3 / 2, 5 / 4]) <= 1.
Proof.
  eapply Rle_trans; [apply (lemma_1 2 _ 2 1); [lra|lra|intros j Hj; each j Hj; written_out; lra]|].
  unfold dot, sum, vector. destruct (Rlt_dec 0 1), (Rlt_dec 0 (-1)); lra.
Qed.

Example instance_box_rule : dot 2 (moderate 0) (vector [0, 0]) <= 9 / 5 * dot 2 (moderate 1)
  (vector [0, 0]).
Proof.
  pose proof moderate_stochastic as H. apply (box_rule 2 _ _ 2); auto; try lra.
  - unfold positive_part, sum, Rmax, moderate. written_out. repeat destruct (Rle_dec _ _); lra.
  - split; intros j; [intros Hj; each j Hj; written_out; lra|].
    intros k Hj Hk. each j Hj; each k Hk; written_out; lra.
Qed.

(** Where (22) or (23) fails at the start, Algorithm 1 takes a round; at any level it has an
    answer. *)
Example instance_algorithm_1 : exists count, (count <= 3)%nat /\
  is_optimum 3 worked_q worked_d (ln 5) (piece_of 3 worked_q worked_d (rounds 3 worked_q worked_d 5
    count) 5).
Proof.
  destruct worked_distributions as [Hq Hd].
  destruct (algorithm_1 3 worked_q worked_d (ln 5) Hq Hd (ln_0 5 ltac:(lra)))
    as [count [Hc [_ [_ [_ H]]]]].
  rewrite exp_ln in H by lra. exists count. auto.
Qed.

(** ** The loss function *)

Example instance_equation_24 : ln (9 / 5) <= loss 2 moderate (ln 2).
Proof.
  apply (proj2 (equation_24 2 moderate (ln 2) ltac:(lia) moderate_stochastic (ln_0 2 ltac:(lra)))
    0%nat 1%nat).
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
  matrix [[1 / 2, 1 / 2, 0, 0], [0, 0, 1 / 2, 1 / 2], [1 / 4, 1 / 4, 1 / 4, 1 / 4], [1 / 4, 1 / 4,
    1 / 4, 1 / 4]].

Example instance_theorem_7 : loss 4 halves 1 = 1.
Proof.
  apply (theorem_7 4 halves 0 1); try lia; try lra; [unfold halves; rows_distributed|].
  intros j Hj. unfold halves. each j Hj; written_out; auto.
Qed.

(** ** Pieces *)

Example instance_theorem_8 : exists m, (1 <= m <= 2)%nat /\ forall j, (j < 3)%nat ->
  prefix 2 j = prefix m j.
Proof.
  destruct worked_distributions as [Hq Hd].
  apply (theorem_8 3 2 worked_q worked_d (prefix 2) 2); auto using worked_falling,
    worked_first_above; try lra; try lia;
    intros j Hj HS; unfold piece_of, piece, worked_q, worked_d in *; each j Hj; written_out;
      try discriminate; lra.
Qed.

(** Below log(13/3), the transition point of the paper's worked example, both columns count; at it
    and above, one. *)
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

(** ** Over time

    Two values, a symmetric chain at its stationary distribution, and randomized response with
    e^eps = 2. *)

Definition symmetric : nat -> nat -> R := matrix [[3 / 4, 1 / 4], [1 / 4, 3 / 4]].
Definition symmetric_chain : chain := {| initial := vector [1 / 2, 1 / 2]; forward := fun _ =>
  symmetric |}.
Definition one_bit : nat -> R := fun _ => ln 2.
Definition first_value : nat -> set := fun _ a => Nat.eqb a 0.
Definition response : nat -> nat -> bool -> R := randomized_response one_bit first_value.

Lemma symmetric_stochastic : stochastic 2 symmetric.
Proof. unfold symmetric. rows_distributed. Qed.

Lemma symmetric_valid : valid 2 symmetric_chain.
Proof. split; [unfold symmetric_chain; cbn [initial]; distributed|]. intros t.
  apply symmetric_stochastic. Qed.

Lemma symmetric_marginal T t a : (t <= T)%nat -> (a < 2)%nat -> probability 2 symmetric_chain
  T (value t a) = 1 / 2.
Proof.
  intros Ht Ha. rewrite marginal_probability by (auto using symmetric_valid). unfold marginal.
    clear Ht.
  revert a Ha. induction t as [|t IH]; intros a Ha; simpl; unfold nothing.
  - unfold symmetric_chain. cbn [initial]. each a Ha; written_out; lra.
  - unfold nothing in IH. rewrite (IH 0%nat), (IH 1%nat) by lia. unfold symmetric_chain, symmetric.
    cbn [forward].
    each a Ha; written_out; lra.
Qed.

Lemma symmetric_bayes : bayes 2 symmetric_chain (fun _ => symmetric).
Proof.
  split; [intros t; apply symmetric_stochastic|].
  intros t a b Ha Hb. rewrite !symmetric_marginal by lia. simpl. unfold symmetric.
  each a Ha; each b Hb; written_out; lra.
Qed.

Lemma one_bit_nonneg t : 0 <= one_bit t.
Proof. apply ln_0. lra. Qed.

Lemma response_private : private 2 one_bit response.
Proof. apply randomized_response_private. apply one_bit_nonneg. Qed.

Example instance_theorem_2 : TPL_at_most 2 symmetric_chain 5 response 2 (TPL 2 (fun _ => symmetric)
  (fun _ => symmetric) one_bit 5 2).
Proof.
  apply (theorem_2 2 symmetric_chain (fun _ => symmetric) one_bit 5 response 2); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private.
Qed.

(** The hypothesis that both values are possible is met: the inequality is between numbers. *)
Example instance_BPL : forall r,
  conditional 2 symmetric_chain 5 (outputs response r 0 2) (value 2 0)
  <= exp (BPL 2 (fun _ => symmetric) one_bit 2) * conditional 2 symmetric_chain
    5 (outputs response r 0 2) (value 2 1).
Proof.
  intros r. apply (BPL_recursion 2 symmetric_chain (fun _ => symmetric) one_bit 5 response 2);
    try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private;
      rewrite symmetric_marginal by lia; lra.
Qed.

Example instance_FPL : FPL_at_most 2 symmetric_chain 5 response 2 (FPL 2 (fun _ => symmetric)
  one_bit 2 3).
Proof.
  apply (FPL_recursion 2 symmetric_chain (fun _ => symmetric) one_bit 5 response 2); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private.
Qed.

Example instance_corollary_1 : window_leaks_at_most 2 symmetric_chain 2 response 0 2 (3 * ln 2).
Proof.
  replace (3 * ln 2) with (sum 3 one_bit) by (unfold one_bit; simpl; ring).
  apply (corollary_1 2 symmetric_chain (fun _ => symmetric));
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private.
Qed.

(** ** The supremum and budgets

    Example 5: rows (0.8, 0.2), (0, 1). With e^eps = 9/8 the supremum is log(9/4); with e^eps =
    5/4, at the boundary eps = log(1/q) that the paper counts as finite, there is none. *)

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H| ->]; [left; apply ln_increasing; assumption|lra]. Qed.

Example instance_bounded_below : forall u, (forall t, level 2 moderate (ln (9 / 8)) t <= u) ->
  ln (9 / 4) <= u.
Proof.
  apply (bounded_below_rule 2 moderate (ln (9 / 8)) (9 / 4) 0 1 (prefix 1)); try lia; try lra.
  - apply moderate_stochastic.
  - rewrite <- ln_1. apply ln_increasing; lra.
  - rewrite exp_ln by lra. unfold piece_of, piece, moderate. written_out. lra.
Qed.

Example instance_supremum : is_supremum 2 moderate (ln (9 / 8)) (ln (9 / 4)).
Proof.
  split.
  - intros x [t ->]. apply bounded_rule; [apply moderate_stochastic|apply ln_0; lra|rewrite exp_ln;
    lra|].
    intros j k Hj Hk. rewrite exp_ln by lra. unfold moderate, positive_part, Rmax.
    each j Hj; each k Hk; written_out; repeat destruct (Rle_dec _ _); lra.
  - intros u Hu. apply instance_bounded_below. intros t. apply Hu. exists t. reflexivity.
Qed.

Example instance_theorem_11 : root (4 / 5) 0 (9 / 8) = 9 / 4.
Proof.
  assert (E : ln (9 / 4) = ln (root (sum_on 2 (prefix 1) (moderate 0)) (sum_on 2 (prefix 1)
    (moderate 1)) (exp (ln (9 / 8))))).
  { apply (theorem_11 2 moderate (ln (9 / 8))); try lia.
    - apply moderate_stochastic.
    - rewrite <- ln_1. apply ln_increasing; lra.
    - apply instance_supremum.
    - replace (piece_of 2 (moderate 0) (moderate 1) (prefix 1) (exp (ln (9 / 4)))) with 2.
      + pose proof (supremum_fixed 2 moderate (ln (9 / 8)) (ln (9 / 4)) moderate_stochastic
        (ln_0 (9 / 8) ltac:(lra))
          instance_supremum) as H.
        enough (ln (9 / 4) = ln 2 + ln (9 / 8)) by lra. rewrite <- ln_mult by lra.
          apply (f_equal ln). lra.
      + rewrite exp_ln by lra. unfold piece_of, piece, moderate. written_out. lra. }
  rewrite exp_ln in E by lra. unfold moderate in E. written_out.
  replace (0 + 4 / 5 + 0) with (4 / 5) in E by ring. replace (0 + 0 + 0) with 0 in E by ring.
  symmetry. apply ln_inv; [lra| |exact E].
  unfold root. destruct (Req_EM_T 0 0); [|contradiction]. lra.
Qed.

Example instance_divergent : unbounded 2 moderate (ln (5 / 4)).
Proof.
  apply divergent_rule; [apply moderate_stochastic|rewrite <- ln_1; apply ln_increasing; lra|].
  exists 0%nat, 1%nat, (prefix 1). rewrite exp_ln by lra. unfold moderate. written_out.
    repeat split; try lia; lra.
Qed.

Example instance_bounded_iff : ~ diverging_point 2 moderate (ln (9 / 8)).
Proof.
  apply bounded_iff; [lia|apply moderate_stochastic|rewrite <- ln_1; apply ln_increasing; lra|].
  exists (ln (9 / 4)). intros t. apply instance_supremum. exists t. reflexivity.
Qed.

Example instance_algorithm_6 : greatest_root 2 moderate (9 / 8) = 9 / 4.
Proof.
  pose proof (algorithm_6 2 moderate (ln (9 / 8)) ltac:(lia) moderate_stochastic
    ltac:(rewrite <- ln_1; apply ln_increasing; lra) instance_bounded_iff) as [U1 L1].
  pose proof instance_supremum as [U2 L2]. rewrite exp_ln in * by lra. apply ln_inv.
  - apply Rlt_le_trans with 1; [lra|apply greatest_one].
  - lra.
  - apply Rle_antisym; [apply L1; exact U2|apply L2; exact U1].
Qed.

(** With rows (0.8, 0.2), (0, 1) Algorithm 2 lists 0.8 and 0 of the first column, 1 and 0.2 of the
    second. *)
Definition first_order (j k i : nat) : nat := if Nat.ltb k j then (1 - i)%nat else i.
Definition one_column (j k : nat) : nat := if Nat.eqb j k then 0%nat else 1%nat.

Lemma moderate_ordered : columns_ordered 2 moderate first_order one_column.
Proof.
  intros j k Hj Hk. unfold first_order, one_column, moderate. each j Hj; each k Hk;
    cbn [Nat.ltb Nat.leb Nat.eqb]; (split;
    [first [exists (fun i => i); intros; lia|exists (fun i => (1 - i)%nat); intros; lia]|split]).
  all: try (intros i l Hil Hl; each l Hl; each i Hil; cbn; split; intros; lra).
  all: split; [lia|]; intros i Hi; each i Hi; cbn; split; intros; try lia; lra.
Qed.

(** e^supremum is e^eps = 9/8 or what one of them gives. *)
Example instance_algorithm_6_candidates : 9 / 4 = 9 / 8 \/
  exists q d, listed 2 moderate first_order one_column q d /\ 9 / 4 = root q d (9 / 8).
Proof.
  destruct (algorithm_6_candidates 2 moderate first_order one_column (ln (9 / 8)) ltac:(lia)
    moderate_stochastic ltac:(rewrite <- ln_1; apply ln_increasing; lra) moderate_ordered)
    as [[_ Hno]|[_ [s [Hs [_ [_ H]]]]]].
  - destruct (Hno (ln (9 / 4))) as [t Ht].
    assert (level 2 moderate (ln (9 / 8)) t <= ln (9 / 4))
      by (apply instance_supremum; exists t; reflexivity). lra.
  - assert (E : s = ln (9 / 4)) by (eapply is_lub_u; [exact Hs|exact instance_supremum]).
    rewrite E, !exp_ln in H by lra. destruct H as [H|H]; [left; apply ln_inv; lra|right; exact H].
Qed.

Lemma loss_moderate : loss 2 moderate (ln (9 / 4)) + ln (9 / 8) = ln (9 / 4).
Proof. apply supremum_fixed; [apply moderate_stochastic|apply ln_0; lra|apply instance_supremum].
  Qed.

Lemma level_sum : ln (9 / 4) + ln (9 / 4) - ln (9 / 8) = ln (9 / 2).
Proof. enough (ln (9 / 4) + ln (9 / 4) = ln (9 / 2) + ln (9 / 8)) by lra.
  rewrite <- !ln_mult by lra. apply (f_equal ln). lra. Qed.

(** Algorithms 2 to 5 on the same rows: tabulated from 1 to 2 and looked up at 3/2, L is what
    Algorithm 3 gives there. *)
Example instance_algorithms_2_5 :
  let table := precomputed moderate first_order one_column in
  exists depth pieces, generated depth (best_pair 2 table) 1 2 = Some pieces /\
  from_pieces pieces (3 / 2) 1 = calculated 2 table (3 / 2) 1.
Proof.
  intros table.
  destruct (algorithm_4 2 moderate first_order one_column 1 2 moderate_stochastic moderate_ordered
    ltac:(lra)) as [[depth [pieces H]] Hall].
  destruct (Hall depth pieces H) as [H1 [H2 H3]]. exists depth, pieces. split; [exact H|].
  unfold table. rewrite algorithms_2_3; [|exact moderate_stochastic|exact moderate_ordered|lra].
  apply (algorithm_5 2 moderate 1); auto. rewrite H2. lra.
Qed.

Example instance_algorithm_7 : forall T t, (t <= T)%nat ->
  TPL 2 (fun _ => moderate) (fun _ => moderate) (fun _ => ln (9 / 8)) T t <= ln (9 / 2).
Proof.
  apply (algorithm_7 2 moderate moderate _ (ln (9 / 4)) (ln (9 / 4)));
    auto using moderate_stochastic, instance_supremum, level_sum. apply ln_0. lra.
Qed.

(** No greater budget keeps log 9/2 than log 9/8, whose suprema are log 9/4. *)
Example instance_algorithm_7_test : keeps_level 2 moderate moderate (ln (9 / 2)) (ln (9 / 8)) /\
  forall x, 0 <= x -> keeps_level 2 moderate moderate (ln (9 / 2)) x -> x <= ln (9 / 8).
Proof.
  pose proof (ln_0 (9 / 8) ltac:(lra)). split.
  - apply algorithm_7_test; auto using moderate_stochastic. exists (ln (9 / 4)), (ln (9 / 4)).
    pose proof level_sum. repeat split; try apply instance_supremum. lra.
  - intros x. apply (algorithm_7_greatest 2 moderate moderate _ (ln (9 / 4)) (ln (9 / 4)));
      auto using moderate_stochastic, instance_supremum, level_sum.
Qed.

Example instance_algorithm_8 : forall t, (t <= 5)%nat ->
  TPL 2 (fun _ => moderate) (fun _ => moderate) (schedule (ln (9 / 4)) (ln (9 / 4)) (ln (9 / 8)) 5)
    5 t = ln (9 / 2).
Proof. apply algorithm_8; auto using loss_moderate, level_sum. Qed.

(** From the solution of its equations, so for every T. *)
Example instance_algorithm_8_test : forall T t, (1 <= T)%nat -> (t <= T)%nat ->
  TPL 2 (fun _ => moderate) (fun _ => moderate)
    (schedule_from 2 moderate (ln (9 / 2)) (ln (9 / 4)) T) T t <= ln (9 / 2).
Proof.
  pose proof loss_moderate as H. pose proof level_sum as H'. pose proof (ln_0 (9 / 4) ltac:(lra)).
  pose proof (ln_0 (9 / 8) ltac:(lra)). pose proof (remark_1 2 moderate (ln (9 / 4))
    moderate_stochastic ltac:(lra)).
  apply algorithm_8_test; auto using moderate_stochastic; [lra|]. unfold left_27.
  replace (ln (9 / 2) - loss 2 moderate (ln (9 / 4))) with (ln (9 / 4)) by lra. lra.
Qed.

(** ** The tight leakage *)

(** For rows (0.8, 0.2), (0, 1) and e^eps = 2, B_2(1,2) = 9/5 as by the recursion; the next is
    77/25. *)
Example instance_sweep : greatest_before 2 (fun _ => moderate) one_bit 1 0 1 (9 / 5) /\
  greatest_before 2 (fun _ => moderate) one_bit 2 0 1 (77 / 25).
Proof.
  unfold greatest_before, sweep, one_bit. rewrite exp_ln by lra.
  split; unfold sum, back, sum, Phi, difference, moderate; written_out;
    repeat (destruct (Rlt_dec _ _); try lra).
Qed.

Example instance_tight_TPL : exists lambda mu,
  greatest_before 2 (fun _ => symmetric) one_bit 2 0 1 lambda /\
  greatest_after 2 (fun _ => symmetric) one_bit 5 2 0 1 mu /\
  let M := randomized_response one_bit (worst_sets 2 (fun _ => symmetric) (fun _ => symmetric)
    one_bit 5 2 0 1 lambda mu) in
  conditional 2 symmetric_chain 5 (outputs M (fun _ => true) 0 5) (value 2 0)
  = exp (one_bit 2) * lambda * mu * conditional 2 symmetric_chain 5 (outputs M (fun _ => true) 0 5)
    (value 2 1).
Proof.
  destruct (greatest_before_exists 2 (fun _ => symmetric) one_bit 2 0 1) as [lambda [_ Hl]];
    auto using symmetric_stochastic, one_bit_nonneg; try lia.
  destruct (greatest_before_exists 2 (fun _ => symmetric) (turned 5 one_bit) (5 - 2) 0 1)
    as [mu [_ Hm]];
    auto using symmetric_stochastic; try lia; [intros; apply one_bit_nonneg|].
  exists lambda, mu. split; [exact Hl|]. split; [exact Hm|].
  apply (tight_TPL_attained 2 symmetric_chain (fun _ => symmetric) one_bit 5 2 0 1 lambda mu);
    try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg; rewrite symmetric_marginal by lia;
      lra.
Qed.

Example instance_attained_at_two : exists j k sets, (j < 2)%nat /\ (k < 2)%nat /\
  let worst := outputs (randomized_response one_bit sets) (fun _ => true) 0 1 in
  conditional 2 symmetric_chain 1 worst (value 1 j)
  = exp (BPL 2 (fun _ => symmetric) one_bit 1) * conditional 2 symmetric_chain
    1 worst (value 1 k) /\
  0 < conditional 2 symmetric_chain 1 worst (value 1 k).
Proof.
  apply (attained_at_two 2 symmetric_chain (fun _ => symmetric) one_bit 1);
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg; try lia.
  intros a Ha. rewrite symmetric_marginal by lia. lra.
Qed.

(** For ever: rows (q, 1 - q), (0, 1), q = 4/5, e^eps = 9/8: lambda = 2, h = (4/5, -9/5), theta =
    9/10 at once. *)
Example instance_for_ever : forall t, sweep 2 (fun _ => moderate) (fun _ => ln (9 / 8)) t
  (difference moderate 0 1 2) <= 0.
Proof.
  apply (for_ever 2 moderate (ln (9 / 8)) _ 0 (vector [4 / 5, - 9 / 5]) (9 / 10) 1).
  - apply moderate_stochastic.
  - apply ln_0. lra.
  - lra.
  - lia.
  - intros a Ha. unfold difference, moderate. simpl. each a Ha; written_out; lra.
  - intros a Ha. rewrite exp_ln by lra. unfold steps, step, back, Phi, moderate.
    each a Ha; written_out; repeat (destruct (Rlt_dec _ _); try lra).
Qed.

(** ** The remaining theorems *)

Lemma moderate_row j : (j < 2)%nat -> distribution 2 (moderate j).
Proof. apply moderate_stochastic. Qed.

Example instance_box_rule_converse :
  (2 - 1) * sum 2 (fun j => positive_part (moderate 0 j - 9 / 5 * moderate 1 j)) <= 9 / 5 - 1.
Proof.
  apply box_rule_converse; try (apply moderate_row; lia); try lra.
  intros x H. pose proof (H 0%nat ltac:(lia)). pose proof (H 1%nat ltac:(lia)). unfold moderate.
    written_out. lra.
Qed.

Example instance_optimum_is_optimum :
  is_optimum 2 (moderate 0) (moderate 1) 1 (optimum 2 (moderate 0) (moderate 1) (exp 1)).
Proof. apply optimum_is_optimum; try (apply moderate_row; lia); lra. Qed.

Example instance_optimum_equation : 9 / 5 = optimum 2 (moderate 0) (moderate 1) 2.
Proof.
  apply optimum_equation; try (apply moderate_row; lia); try lra.
  unfold positive_part, Rmax, moderate. written_out. repeat destruct (Rle_dec _ _); lra.
Qed.

Example instance_round_rises : piece_of 3 worked_q worked_d (prefix 2) 5
  <= piece_of 3 worked_q worked_d (round 3 worked_q worked_d 5 (prefix 2)) 5.
Proof. apply round_rises; try apply worked_distributions. lra. Qed.

Example instance_theorem_12 : forall y, feasible 2 (ln 2) y -> dot 2 (moderate 0) y - 9 / 5 * dot 2
  (moderate 1) y <= 0.
Proof.
  destruct instance_theorem_5 as [[x [Hx E]] H]. rewrite <- E.
  apply (theorem_12 2 (moderate 0) (moderate 1) (ln 2) x); try (apply moderate_row; lia); auto.
  intros y Hy. rewrite E. auto.
Qed.

Example instance_gain_bounds :
  dot 2 (moderate 0) (vector [2, 1]) <= gain 2 moderate 2 * dot 2 (moderate 1) (vector [2, 1]).
Proof.
  apply gain_bounds; try lia; try lra; [apply moderate_stochastic|].
  split; intros j; [intros Hj; each j Hj; written_out; lra|]. intros k Hj Hk. each j Hj; each k Hk;
    written_out; lra.
Qed.

Example instance_loss_rises : loss 2 moderate 1 <= loss 2 moderate 2.
Proof. apply loss_rises; [apply moderate_stochastic|lra]. Qed.

Example instance_theorem_6_converse : forall j k i, (j < 2)%nat -> (k < 2)%nat -> (i < 2)%nat ->
  matrix [[1 / 3, 2 / 3], [1 / 3, 2 / 3]] j i = matrix [[1 / 3, 2 / 3], [1 / 3, 2 / 3]] k i.
Proof. apply (theorem_6_converse 2 _ 1); [rows_distributed|lra|apply instance_theorem_6]. Qed.

Example instance_theorem_7_converse : exists j k, (j < 4)%nat /\ (k < 4)%nat /\
  disjoint_supports 4 (halves j) (halves k).
Proof. apply (theorem_7_converse 4 halves 1); [lia|unfold halves;
  rows_distributed|lra|apply instance_theorem_7]. Qed.

Example instance_piece_rule : piece (1 / 4) 0 5 <= piece (1 / 2) 0 5.
Proof.
  apply (piece_rule (1 / 2) 0 (1 / 4) 0 5 1); try lra.
  - left. split; [reflexivity|unfold dominates_at_zero; lra].
  - right. unfold dominates_at_infinity. lra.
Qed.

Lemma gain_moderate : gain 2 moderate 2 = 9 / 5.
Proof.
  apply Rle_antisym.
  - apply gain_least; [lra|]. intros j k S Hj Hk. pose proof (moderate_row j Hj) as Dj.
    pose proof (moderate_row k Hk) as Dk.
    pose proof (box_rule 2 (moderate j) (moderate k) 2 (9 / 5) (corner S 2) Dj Dk ltac:(lra)) as H.
    rewrite !dot_corner in H by assumption.
    pose proof (piece_of_spec 2 (moderate j) (moderate k) S 2 Dk ltac:(lra)) as E.
    pose proof (piece_denominator 2 (moderate k) S 2 Dk ltac:(lra)).
    apply Rmult_le_reg_r with (sum_on 2 S (moderate k) * (2 - 1) + 1); [lra|]. rewrite E.
    apply H; [|apply within_corner; lra]. clear - Hj Hk.
    unfold positive_part, Rmax, moderate. each j Hj; each k Hk; written_out;
      repeat (destruct (Rle_dec _ _)); lra.
  - rewrite instance_optimum_equation. apply gain_pair; lia.
Qed.

Example instance_loss_piece :
  loss 2 moderate (ln (17 / 8)) = ln (piece_of 2 (moderate 0) (moderate 1) (prefix 1)
    (exp (ln (17 / 8)))).
Proof.
  assert (L : forall x y, 0 < x < y -> ln x < ln y) by (intros; apply ln_increasing; lra).
  apply (loss_piece 2 moderate 0 1 (prefix 1) (ln 2) (ln (9 / 4))); try lia.
  - apply moderate_stochastic.
  - split; [rewrite <- ln_1|]; apply L; lra.
  - split; left; apply L; lra.
  - unfold loss. rewrite exp_ln by lra. rewrite gain_moderate. apply (f_equal ln).
    unfold piece_of, piece, moderate. written_out. lra.
  - replace (piece_of 2 (moderate 0) (moderate 1) (prefix 1) (exp (ln (9 / 4)))) with 2.
    + pose proof loss_moderate as H. enough (ln (9 / 4) = ln 2 + ln (9 / 8)) by lra.
      rewrite <- ln_mult by lra. apply (f_equal ln). lra.
    + rewrite exp_ln by lra. unfold piece_of, piece, moderate. written_out. lra.
Qed.

Example instance_transition_point : transition worked_q worked_d 2 <= ln 5.
Proof.
  destruct (transition_point worked_q worked_d 2 (ln 5)) as [H _].
  - unfold worked_q, worked_d. simpl. lra.
  - apply ln_0. lra.
  - apply H; unfold past_transition, worked_q, worked_d; rewrite ?exp_ln by lra; simpl; lra.
Qed.

Definition three_q : nat -> R := vector [4 / 10, 3 / 10, 2 / 10, 1 / 10].
Definition three_d : nat -> R := vector [0, 1 / 10, 1 / 10, 8 / 10].

Example instance_theorem_9_order : past_transition three_q three_d 2 6 /\ past_transition three_q
  three_d 3 6.
Proof.
  assert (H : past_transition three_q three_d 2 6) by (unfold past_transition, three_q, three_d;
    simpl; lra).
  split; [exact H|]. apply (theorem_9_order 4 3 2); try lia; try lra; try exact H; unfold three_q,
    three_d.
  - distributed.
  - distributed.
  - intros i j Hij Hj. each j Hj; each i Hij; written_out; split; intros; lra.
  - split; [lia|]. intros j Hj. each j Hj; written_out; split; intros; try lia; lra.
Qed.

Example instance_theorem_9_all : exists m, (1 <= m <= 2)%nat /\ ~ past_transition worked_q worked_d
  m 3 /\
  ((m < 2)%nat -> past_transition worked_q worked_d (S m) 3).
Proof.
  destruct worked_distributions. apply (theorem_9_all 3 2); auto using worked_falling,
    worked_first_above; try lia; lra.
Qed.

Definition worked : nat -> nat -> R := matrix [[3 / 10, 2 / 10, 5 / 10], [0, 1 / 10, 9 / 10],
  [1 / 3, 1 / 3, 1 / 3]].

(** Rows 3 and 1 of the worked example, whose columns are not in falling order: q_j/d_j is 10/9,
    5/3, 2/3. *)
Example instance_corollary_3 : exists order m, permutation 3 order /\
  is_optimum 3 (worked 2) (worked 0) 1 (piece (sum m (fun i => worked 2 (order i)))
    (sum m (fun i => worked 0 (order i))) (exp 1)).
Proof.
  destruct (corollary_3 3 worked) as [_ H]; [lia|unfold worked; rows_distributed|].
  destruct (H 2%nat 0%nat) as [order [count [Ho [_ [_ Hm]]]]]; try lia.
    destruct (Hm 1 ltac:(lra)) as [[_ E]|[m [_ [_ [_ E]]]]].
  - exists order, 0%nat. split; [assumption|]. unfold piece. simpl.
    replace ((0 * (exp 1 - 1) + 1) / (0 * (exp 1 - 1) + 1)) with 1 by field.
    assumption.
  - exists order, m. split; assumption.
Qed.

Example instance_order_of_columns : is_optimum 3 (fun i => worked 0 (2 - i)%nat) (fun i =>
  worked 1 (2 - i)%nat) 1 (optimum 3 (worked 0) (worked 1) (exp 1)).
Proof.
  assert (HP : stochastic 3 worked) by (unfold worked; rows_distributed).
  apply (order_of_columns 3 (fun i => (2 - i)%nat)); try apply HP; try lia; try lra.
  - exists (fun i => (2 - i)%nat). intros j Hj. lia.
  - apply optimum_is_optimum; try apply HP; try lia; lra.
Qed.

Example instance_sets_of_outputs :
  sum 2 (fun i => conditional 2 symmetric_chain 5 (outputs response (fun _ => Nat.eqb i 0) 0 5)
    (value 2 0))
  <= exp (TPL 2 (fun _ => symmetric) (fun _ => symmetric) one_bit 5 2) *
     sum 2 (fun i => conditional 2 symmetric_chain 5 (outputs response (fun _ => Nat.eqb i 0) 0 5)
       (value 2 1)).
Proof.
  apply (sets_of_outputs 2 symmetric_chain 5 response 2 0 5 _ 2 (fun i _ => Nat.eqb i 0)); try lia;
    [exact instance_theorem_2| |]; rewrite symmetric_marginal by lia; lra.
Qed.

(** Theorem 3 from BPL and FPL as they are defined, here as they are bounded by the recursions. *)
Example instance_theorem_3 : window_leaks_at_most 2 symmetric_chain 5 response 1 3
  (BPL 2 (fun _ => symmetric) one_bit 1 + sum 1 (fun _ => ln 2) + FPL 2 (fun _ => symmetric)
    one_bit 3 2).
Proof.
  apply (theorem_3 2 symmetric_chain one_bit 5 response 1 1); try lia;
    auto using symmetric_valid, one_bit_nonneg, response_private.
  - apply BPL_recursion; try lia; auto using symmetric_valid, symmetric_bayes, one_bit_nonneg,
    response_private.
  - apply (FPL_recursion 2 symmetric_chain (fun _ => symmetric) one_bit 5 response 3); try lia;
      auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private.
Qed.

Example instance_theorem_1 : laplace_density 1 1 (vector [0]) (vector [7]) <= exp 1 *
  laplace_density 1 1 (vector [1]) (vector [7]).
Proof.
  pose proof (theorem_1 1 1 1 (vector [0]) (vector [1]) (vector [7]) ltac:(lra) ltac:(lra)
    ltac:(written_out; rewrite Rabs_left; lra)) as H.
  replace (1 / 1) with 1 in H by field. exact H.
Qed.

(** All sequences of two values over the times 1 to 3: the numbers 0 to 7 in binary. *)
Definition binary (a s : nat) : nat := if Nat.testbit a s then 1%nat else 0%nat.
Example instance_theorem_4 : private 8 (fun _ => sum 3 (fun k => one_bit (0 + k)%nat))
  (fun _ a r => product 2 (fun k d => response (0 + k)%nat d (r (0 + k)%nat)) (fun k =>
    binary a (0 + k)%nat)).
Proof.
  apply (theorem_4 2 one_bit response 0 2 8 binary); [apply response_private|].
  intros a s. unfold binary. destruct (Nat.testbit a s); lia.
Qed.

Example instance_level_rises : level 2 moderate 1 3 <= level 2 moderate 1 4.
Proof. apply level_rises; [apply moderate_stochastic|lra]. Qed.

Example instance_equations_26_27 : loss 2 moderate (ln (9 / 4)) + ln (9 / 4) = ln (9 / 2).
Proof. apply (equations_26_27 2 moderate moderate _ _ _ _ level_sum). split; apply loss_moderate.
  Qed.

Example instance_algorithm_7_protects : exists alpha,
  TPL_at_most 2 symmetric_chain 5 response 2 alpha.
Proof.
  assert (Hd : ~ diverging_point 2 symmetric (ln 2)).
  { intros [j [k [S [Hj [Hk [Z H]]]]]]. unfold symmetric in *. written_out.
    each k Hk; each j Hj; destruct (S 0%nat), (S 1%nat); lra. }
  assert (He : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  pose proof (algorithm_6 2 symmetric (ln 2) ltac:(lia) symmetric_stochastic He Hd) as Hs.
  set (s := ln (greatest_root 2 symmetric (exp (ln 2)))) in *. exists (s + s - ln 2).
  apply (algorithm_7_protects 2 symmetric_chain (fun _ => symmetric) symmetric symmetric (ln 2) s s
    (s + s - ln 2) response
    symmetric_valid symmetric_bayes); try reflexivity;
      [lra|exact Hs|exact Hs|apply response_private|lia].
Qed.

Example instance_algorithm_8_one : TPL 2 (fun _ => moderate) (fun _ => moderate) (schedule 1 1 0 0)
  0 0 = 1.
Proof. apply algorithm_8_one. Qed.

Example instance_strongest_correlation : forall eps, loss 4 halves 1 + eps = 1 -> eps = 0.
Proof. intros eps. apply strongest_correlation. apply instance_theorem_7. Qed.

Definition equal_rows : nat -> nat -> R := matrix [[1 / 3, 2 / 3], [1 / 3, 2 / 3]].

Lemma equal_rows_stochastic : stochastic 2 equal_rows.
Proof. unfold equal_rows. rows_distributed. Qed.

Lemma equal_rows_loss t : loss 2 equal_rows (BPL 2 (fun _ => equal_rows) (fun _ => 1) t) = 0.
Proof.
  apply theorem_6; [apply equal_rows_stochastic| |].
  - unfold equal_rows. intros j k i Hj Hk Hi. each j Hj; each k Hk; each i Hi; reflexivity.
  - apply BPL_nonneg; intros; [apply equal_rows_stochastic|lra].
Qed.

Example instance_control : forall t, BPL 2 (fun _ => equal_rows) (fun _ => 1) t <= 1.
Proof. apply control; intros; try lra; [apply equal_rows_stochastic|rewrite equal_rows_loss; lra].
  Qed.

Example instance_control_exact : forall t, BPL 2 (fun _ => equal_rows) (fun _ => 1) t = 1.
Proof. apply control_exact; intros; [reflexivity|rewrite equal_rows_loss; lra]. Qed.

Example instance_smaller_budgets : TPL 2 (fun _ => moderate) (fun _ => symmetric) (fun _ =>
  1 / 2) 5 2
  <= TPL 2 (fun _ => moderate) (fun _ => symmetric) (fun _ => 1) 5 2.
Proof. apply smaller_budgets; intros; [apply moderate_stochastic|apply symmetric_stochastic|lra].
  Qed.

Lemma moderate_corners : bounded_by 2 (fun _ => ln (9 / 8)) (fun s =>
  corner (prefix 1) (exp (ln (9 / 8)))).
Proof. apply (corner_bounded 2 (fun _ => ln (9 / 8)) (fun _ => prefix 1)). intros. apply ln_0. lra.
  Qed.

Example instance_sweep_bounds : dot 2 (difference moderate 0 1 2)
  (likelihood 2 (fun _ => moderate) (fun s => corner (prefix 1) (exp (ln (9 / 8)))) 3) <= 0.
Proof.
  apply (sweep_bounds 2 (fun _ => moderate) (fun _ => ln (9 / 8))); auto using moderate_stochastic,
    moderate_corners; try lia.
  apply instance_for_ever.
Qed.

Example instance_sweep_attained :
  dot 2 (difference moderate 0 1 1)
    (likelihood 2 (fun _ => moderate) (fun s => corner (asked 2 (fun _ => moderate) one_bit 3
      (difference moderate 0 1 1) s)
      (exp (one_bit s))) 3)
  = sweep 2 (fun _ => moderate) one_bit 3 (difference moderate 0 1 1).
Proof. apply sweep_attained. Qed.

Example instance_greatest_before_rule :
  before 2 (fun _ => moderate) (fun s => corner (prefix 1) (exp (ln (9 / 8)))) 4 0
  <= 2 * before 2 (fun _ => moderate) (fun s => corner (prefix 1) (exp (ln (9 / 8)))) 4 1.
Proof.
  apply (greatest_before_rule 2 (fun _ => moderate) (fun _ => ln (9 / 8)));
    auto using moderate_stochastic, moderate_corners;
    try lia. apply instance_for_ever.
Qed.

Example instance_tight_TPL_bounds : exists lambda mu, forall r,
  conditional 2 symmetric_chain 5 (outputs response r 0 5) (value 2 0)
  <= exp (one_bit 2) * lambda * mu * conditional 2 symmetric_chain 5 (outputs response r 0 5)
    (value 2 1).
Proof.
  destruct instance_tight_TPL as [lambda [mu [Hl [Hm _]]]]. exists lambda, mu. intros r.
  apply (tight_TPL_bounds 2 symmetric_chain (fun _ => symmetric) one_bit 5 response 2 0 1 lambda mu
    r); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private;
      rewrite symmetric_marginal by lia; lra.
Qed.

Example instance_tight_BPL : exists lambda, greatest_before 2 (fun _ => symmetric) one_bit 3 0 1
  lambda /\
  exists sets, let worst := outputs (randomized_response one_bit sets) (fun _ => true) 0 3 in
  conditional 2 symmetric_chain 3 worst (value 3 0)
  = exp (one_bit 3) * lambda * conditional 2 symmetric_chain 3 worst (value 3 1).
Proof.
  destruct (greatest_before_exists 2 (fun _ => symmetric) one_bit 3 0 1) as [lambda [_ Hl]];
    auto using symmetric_stochastic, one_bit_nonneg; try lia.
  exists lambda. split; [exact Hl|].
  destruct (tight_BPL 2 symmetric_chain (fun _ => symmetric) one_bit response 3 0 1 lambda
    (fun _ => true)) as [_ [sets [E _]]];
    try lia; auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private;
    try (rewrite symmetric_marginal by lia; lra).
  exists sets. exact E.
Qed.

Example instance_greatest_before_unique : forall lambda, greatest_before 2 (fun _ => moderate)
  one_bit 1 0 1 lambda -> lambda = 9 / 5.
Proof.
  intros lambda H. apply (greatest_before_unique 2 (fun _ => moderate) one_bit 1 0 1);
    auto using moderate_stochastic, one_bit_nonneg; try lia. apply instance_sweep.
Qed.

Example instance_sweep_rises : sweep 2 (fun _ => moderate) one_bit 3 (difference moderate 0 1 2)
  <= sweep 2 (fun _ => moderate) one_bit 3 (difference moderate 0 1 1).
Proof.
  apply sweep_rises; auto using moderate_stochastic, one_bit_nonneg.
  intros a Ha. unfold difference, moderate. each a Ha; written_out; lra.
Qed.

(** With 1.126 for e^eps = 9/8, and c rounded upward to hundredths. *)
Example instance_rounded_sweep : sweep 2 (fun _ => moderate) (fun _ => ln (9 / 8)) 1
  (difference moderate 0 1 (201 / 100)) <= 0.
Proof.
  eapply Rle_trans; [apply (rounded_sweep 2 (fun _ => moderate) (fun _ => ln (9 / 8)) 1 _
    (fun s => match s with O => vector [73 / 100, - 162 / 100] | _ => vector [4 / 5, - 181 / 100]
      end) (fun _ => 1126 / 1000))|].
  - intros; apply moderate_stochastic.
  - intros; apply ln_0; lra.
  - intros. rewrite exp_ln by lra. lra.
  - intros a Ha. unfold difference, moderate. each a Ha; written_out; lra.
  - intros s a Hs Ha. assert (s = 0%nat) as -> by lia. unfold back, Phi, moderate.
    each a Ha; written_out; repeat (destruct (Rlt_dec _ _); try lra).
  - unfold Phi. written_out. repeat (destruct (Rlt_dec _ _); try lra).
Qed.

Example instance_unbounded_apart : forall t lambda,
  greatest_before 2 (fun _ => matrix [[1, 0], [0, 1]]) (fun _ => 1) t 0 1 lambda ->
    exp 1 ^ t <= lambda.
Proof.
  intros t lambda.
  apply (unbounded_apart 2 (matrix [[1, 0], [0, 1]]) 1 (fun _ a => Nat.eqb a 0) (fun _ a =>
    Nat.eqb a 1));
    try lia; try lra; try reflexivity; [rows_distributed| | |];
    try (intros s a b _ Ha Hb; each a Ha; each b Hb; simpl; intros; try discriminate; reflexivity).
  intros s a Ha. each a Ha; simpl; intros; try discriminate; reflexivity.
Qed.

(** Two values that follow one another for certain: a set is where the other was. *)
Example instance_unbounded_periodic : forall t lambda,
  greatest_before 2 (fun _ => matrix [[0, 1], [1, 0]]) (fun _ => 1) (2 * t) 0 1 lambda ->
    exp 1 ^ (2 * t) <= lambda.
Proof.
  intros t lambda.
  apply (unbounded_apart 2 (matrix [[0, 1], [1, 0]]) 1 (fun s a => Nat.even (s + a)) (fun s a =>
    Nat.odd (s + a)));
    try lia; try lra; [rows_distributed| | | | |].
  1, 2: intros s a b _ Ha Hb; rewrite plus_Sn_m, ?Nat.even_succ, ?Nat.odd_succ; each a Ha;
    each b Hb; simpl; auto;
    rewrite ?Nat.add_0_r, ?Nat.add_1_r, ?Nat.even_succ, ?Nat.odd_succ; unfold Nat.odd; intros;
    repeat match goal with H : _ = _ |- _ => revert H end; destruct (Nat.even s); discriminate.
  - intros s a _. unfold Nat.odd. intros ->. reflexivity.
  - rewrite Nat.add_0_r, Nat.even_mul. reflexivity.
  - rewrite Nat.add_1_r, Nat.odd_succ, Nat.even_mul. reflexivity.
Qed.

(** A value that is kept with 4/5, times 5/4: told from the one that is never left, ever more. *)
Example instance_unbounded_kept : exists t j, (j < 2)%nat /\ Nat.eqb j 0 = true /\ forall k,
  (k < 2)%nat -> Nat.eqb k 1 = true ->
  7 * before 2 (fun _ => moderate) (fun _ => corner (fun a => Nat.eqb a 0) (5 / 4)) t k
  <= before 2 (fun _ => moderate) (fun _ => corner (fun a => Nat.eqb a 0) (5 / 4)) t j.
Proof.
  apply (unbounded_kept 2 moderate (5 / 4) (fun a => Nat.eqb a 0) (fun a => Nat.eqb a 1)
    (vector [1, 0]));
    auto using moderate_stochastic; [lra| | | |].
  - intros a b Ha Hb. unfold moderate. each a Ha; each b Hb; simpl; intros; try discriminate;
    reflexivity.
  - intros a Ha. each a Ha; simpl; intros; try discriminate; reflexivity.
  - split; intros a Ha; unfold back, moderate; each a Ha; written_out; try split; intros;
    try discriminate; lra.
  - unfold back, moderate. written_out. simpl. lra.
Qed.

(** Rows that are equal: TPL is the budget, and ten rounds of Algorithm 7 for alpha = 1 end within
    1/1024 of it. *)
Example instance_bisection : let test := fun x => if Rle_dec x 1 then true else false in
  let (e, range) := bisected test 10 (1 / 2) 1 in range = 1 / 1024 /\ 1 <= e + range /\
  keeps_level 2 equal_rows equal_rows 1 (Rmax 0 (e - range)).
Proof.
  pose proof equal_rows_stochastic as HP.
  assert (HL : forall x, 0 <= x -> loss 2 equal_rows x = 0).
  { apply theorem_6; [assumption|]. intros j k i Hj Hk Hi. unfold equal_rows. each j Hj; each k Hk;
    each i Hi; reflexivity. }
  assert (Hkeeps : forall x, 0 <= x -> (x <= 1 <-> keeps_level 2 equal_rows equal_rows 1 x)).
  { intros x Hx.
    assert (HB : forall t, BPL 2 (fun _ => equal_rows) (fun _ => x) t = x).
    { induction t as [|t IH]; simpl; [reflexivity|]. rewrite IH, HL by assumption. ring. }
    assert (HF : forall k t, FPL 2 (fun _ => equal_rows) (fun _ => x) t k = x).
    { induction k as [|k IH]; intros t; simpl; [reflexivity|]. rewrite IH, HL by assumption.
      ring. }
    assert (HT : forall T t, TPL 2 (fun _ => equal_rows) (fun _ => equal_rows) (fun _ => x) T t =
      x).
    { intros T t. unfold TPL. rewrite HB, HF. ring. }
    split; [intros Hle T t _; rewrite HT; assumption|]. intros H.
      specialize (H 0%nat 0%nat (le_n 0)). rewrite HT in H. assumption. }
  intros test.
  pose proof (bisection 2 equal_rows equal_rows 1 test 10 HP HP ltac:(lra)) as H.
  destruct (bisected test 10 (1 / 2) 1) as [e range]. destruct H as [_ [H1 [H2 H3]]].
  - intros x Hx. rewrite <- Hkeeps by assumption. unfold test. destruct (Rle_dec x 1); split;
    intros; auto; try discriminate; contradiction.
  - split; [rewrite H1; field|]. split; [apply H3; [lra|apply Hkeeps; lra]|assumption].
Qed.

(** And Algorithm 8, whose only solution has a_B = 1. *)
Example instance_bisection_8 : let compare := fun x => if Req_EM_T x 1 then Eq
    else if Rlt_dec x 1 then Lt else Gt in
  let (a_B, range) := searched_for compare 10 (1 / 2) 1 in range <= 1 / 1024 /\
  Rabs (a_B - 1) <= range.
Proof.
  pose proof equal_rows_stochastic as HP.
  assert (HL : forall x, 0 <= x -> loss 2 equal_rows x = 0).
  { apply theorem_6; [assumption|]. intros j k i Hj Hk Hi. unfold equal_rows. each j Hj; each k Hk;
    each i Hi; reflexivity. }
  intros compare. pose proof (bisection_8 2 equal_rows equal_rows 1 compare 10 HP HP ltac:(lra))
    as H. destruct (searched_for compare 10 (1 / 2) 1) as [a_B range].
  destruct H as [_ [H1 [_ [x [y [Hy [Hx [H0 H2]]]]]]]].
  - intros x Hx. unfold left_27. rewrite !HL by (rewrite ?HL by lra; lra). unfold compare.
    destruct (Req_EM_T x 1); [constructor; lra|]. destruct (Rlt_dec x 1); constructor; lra.
  - rewrite HL in Hy by lra. rewrite HL in Hx by lra. replace x with 1 in H2 by lra.
    split; [|assumption]. replace (1 / 1024) with (1 / 2 ^ 10) by field. apply H1.
Qed.

(** Transient values that e^eps keeps below what they were, eps = log 1.24; the chain of
    docs/worst-case.md that diverges at 1.25. *)
Definition slow : nat -> nat -> R := matrix [[6 / 10, 4 / 10, 0], [0, 8 / 10, 2 / 10], [0, 0, 1]].

Example instance_bounded_with_transient : exists u, bounded_by_ratio 3 slow (ln (31 / 25)) u.
Proof.
  apply (bounded_with_transient 3 slow (ln (31 / 25)) (fun a => Nat.eqb a 2) 1 (vector [2, 1, 0])).
  - unfold slow. rows_distributed.
  - apply ln_0. lra.
  - split; [exists 2%nat; auto|]. split; intros a b Ha Hb; unfold power, slow; each a Ha;
    each b Hb; simpl; intros; try discriminate;
      written_out; simpl; lra.
  - intros a Ha. unfold slow. rewrite exp_ln_of by lra. each a Ha; written_out; simpl; intros;
    try discriminate; lra.
Qed.

(** Example 2's matrix: bounded at log(9/8), and at log(5/4) no longer. *)
Example instance_criterion : (exists u, bounded_by_ratio 2 moderate (ln (9 / 8)) u) /\
  ~ (exists u, bounded_by_ratio 2 moderate (ln (5 / 4)) u).
Proof.
  assert (Hlog : forall x, 1 < x -> 0 < ln x) by (intros x Hx; rewrite <- ln_1;
    apply ln_increasing; lra).
  assert (Hclosed : closed 2 moderate (fun a => Nat.eqb a 1)).
  { intros a b Ha Hb. unfold moderate. each a Ha; each b Hb; simpl; intros; try discriminate;
    written_out; lra. }
  split.
  - apply criterion; auto using moderate_stochastic; [apply Hlog; lra|].
    exists (fun a => Nat.eqb a 1), 0%nat, (vector [1, 0]). split.
    + split; [exists 1%nat; auto|]. split; [assumption|]. intros a b Ha Hb. unfold power, moderate.
      each a Ha; each b Hb; simpl; intros; try discriminate; written_out; simpl; lra.
    + intros a Ha. unfold moderate. rewrite exp_ln_of by lra. each a Ha; written_out; simpl;
      intros; try discriminate; lra.
  - intros H. apply criterion in H; auto using moderate_stochastic; [|apply Hlog; lra].
    destruct H as [K [m [h [[[a [Ha Ka]] [HK Hreach]] Hlow]]]].
    assert (K0 : K 0%nat = false).
    { destruct (K 0%nat) eqn:E; [exfalso|reflexivity].
      specialize (Hreach 1%nat 0%nat ltac:(lia) ltac:(lia) E). unfold power in Hreach.
      rewrite (apply_power_closed 2 moderate _ (S m) _ (fun _ => 0) Hclosed) in Hreach; try lia;
        try reflexivity.
      - destruct (apply_power_linear 2 moderate (S m) (fun _ => 0) 1) as [L|[_ L]];
        [|discriminate]. rewrite L in Hreach. simpl in Hreach. lra.
      - intros b Hb Eb. apply Nat.eqb_eq in Eb. subst b. reflexivity. }
    assert (K1 : K 1%nat = true) by (each a Ha; congruence).
    destruct (Hlow 0%nat ltac:(lia) K0) as [H0 H1]. rewrite exp_ln_of in H1 by lra.
      unfold moderate in H1. written_out.
    rewrite K0, K1 in H1. simpl in H1. lra.
Qed.

(** What holds for all times or under a hypothesis, at one time, with the hypothesis met. *)
Lemma at_one : True.
Proof.
  pose proof (instance_theorem_6_converse 0 1 0 ltac:(lia) ltac:(lia) ltac:(lia)).
  pose proof (instance_bounded_below (ln (9 / 4))
    (fun t => proj1 instance_supremum _ (ex_intro _ t eq_refl))).
  pose proof (instance_algorithm_7 1 0 ltac:(lia)).
  pose proof (algorithm_7_greatest 2 moderate moderate _ _ _ _ _ moderate_stochastic
    moderate_stochastic (ln_0 (9 / 8) ltac:(lra)) instance_supremum instance_supremum level_sum
    (ln_0 (9 / 8) ltac:(lra)) (proj1 instance_algorithm_7_test)).
  pose proof (instance_algorithm_8 0 ltac:(lia)).
  pose proof (instance_strongest_correlation 0 ltac:(rewrite instance_theorem_7; ring)).
  pose proof (instance_greatest_before_unique (9 / 5) (proj1 instance_sweep)).
  pose proof (instance_unbounded_apart 0 1 eq_refl).
  exact I.
Qed.
