(** An instance of each theorem: its hypotheses can be met, and what it then says is what the paper's examples say. *)

From TPL Require Export Pieces Budgets Tight.
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
Ltac written_out := cbv [matrix vector List.nth sum_on sum dot prefix Nat.ltb Nat.leb Nat.eqb negb] in *.
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

(** ** Over time

    Two values, a symmetric chain at its stationary distribution, and randomized response with e^eps = 2. *)

Definition symmetric : nat -> nat -> R := matrix [[3 / 4, 1 / 4], [1 / 4, 3 / 4]].
Definition symmetric_chain : chain := {| initial := vector [1 / 2, 1 / 2]; forward := fun _ => symmetric |}.
Definition one_bit : nat -> R := fun _ => ln 2.
Definition first_value : nat -> set := fun _ a => Nat.eqb a 0.
Definition response : nat -> nat -> bool -> R := randomized_response one_bit first_value.

Lemma symmetric_stochastic : stochastic 2 symmetric.
Proof. unfold symmetric. rows_distributed. Qed.

Lemma symmetric_valid : valid 2 symmetric_chain.
Proof. split; [unfold symmetric_chain; cbn [initial]; distributed|]. intros t. apply symmetric_stochastic. Qed.

Lemma symmetric_marginal T t a : (t <= T)%nat -> (a < 2)%nat -> probability 2 symmetric_chain T (value t a) = 1 / 2.
Proof.
  intros Ht Ha. rewrite marginal_probability by (auto using symmetric_valid). unfold marginal. clear Ht.
  revert a Ha. induction t as [|t IH]; intros a Ha; simpl; unfold nothing.
  - unfold symmetric_chain. cbn [initial]. each a Ha; written_out; lra.
  - unfold nothing in IH. rewrite (IH 0%nat), (IH 1%nat) by lia. unfold symmetric_chain, symmetric. cbn [forward].
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

Example instance_theorem_2 : TPL_at_most 2 symmetric_chain 5 response 2 (TPL 2 (fun _ => symmetric) (fun _ => symmetric) one_bit 5 2).
Proof.
  apply (theorem_2 2 symmetric_chain (fun _ => symmetric) one_bit 5 response 2); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private.
Qed.

(** The hypothesis that both values are possible is met: the inequality is between numbers. *)
Example instance_BPL : forall r,
  conditional 2 symmetric_chain 5 (outputs response r 0 2) (value 2 0)
  <= exp (BPL 2 (fun _ => symmetric) one_bit 2) * conditional 2 symmetric_chain 5 (outputs response r 0 2) (value 2 1).
Proof.
  intros r. apply (BPL_recursion 2 symmetric_chain (fun _ => symmetric) one_bit 5 response 2); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, response_private; rewrite symmetric_marginal by lia; lra.
Qed.

Example instance_FPL : FPL_at_most 2 symmetric_chain 5 response 2 (FPL 2 (fun _ => symmetric) one_bit 2 3).
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

    Example 5: rows (0.8, 0.2), (0, 1). With e^eps = 9/8 the supremum is log(9/4); with e^eps = 5/4, at the boundary
    eps = log(1/q) that the paper counts as finite, there is none. *)

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H| ->]; [left; apply ln_increasing; assumption|lra]. Qed.

Example instance_supremum : is_supremum 2 moderate (ln (9 / 8)) (ln (9 / 4)).
Proof.
  split.
  - intros x [t ->]. apply bounded_rule; [apply moderate_stochastic|apply ln_0; lra|rewrite exp_ln; lra|].
    intros j k Hj Hk. rewrite exp_ln by lra. unfold moderate, positive_part, Rmax.
    each j Hj; each k Hk; written_out; repeat destruct (Rle_dec _ _); lra.
  - intros u Hu. apply (bounded_below_rule 2 moderate (ln (9 / 8)) (9 / 4) 0 1 (prefix 1)); try lia; try lra.
    + apply moderate_stochastic.
    + rewrite <- ln_1. apply ln_increasing; lra.
    + rewrite exp_ln by lra. unfold piece_of, piece, moderate. written_out. lra.
    + intros t. apply Hu. exists t. reflexivity.
Qed.

Example instance_theorem_11 : root (4 / 5) 0 (9 / 8) = 9 / 4.
Proof.
  assert (E : ln (9 / 4) = ln (root (sum_on 2 (prefix 1) (moderate 0)) (sum_on 2 (prefix 1) (moderate 1)) (exp (ln (9 / 8))))).
  { apply (theorem_11 2 moderate (ln (9 / 8))); try lia.
    - apply moderate_stochastic.
    - rewrite <- ln_1. apply ln_increasing; lra.
    - apply instance_supremum.
    - replace (piece_of 2 (moderate 0) (moderate 1) (prefix 1) (exp (ln (9 / 4)))) with 2.
      + pose proof (supremum_fixed 2 moderate (ln (9 / 8)) (ln (9 / 4)) moderate_stochastic (ln_0 (9 / 8) ltac:(lra))
          instance_supremum) as H.
        enough (ln (9 / 4) = ln 2 + ln (9 / 8)) by lra. rewrite <- ln_mult by lra. apply (f_equal ln). lra.
      + rewrite exp_ln by lra. unfold piece_of, piece, moderate. written_out. lra. }
  rewrite exp_ln in E by lra. unfold moderate in E. written_out.
  replace (0 + 4 / 5 + 0) with (4 / 5) in E by ring. replace (0 + 0 + 0) with 0 in E by ring.
  symmetry. apply ln_inv; [lra| |exact E].
  unfold root. destruct (Req_EM_T 0 0); [|contradiction]. lra.
Qed.

Example instance_divergent : unbounded 2 moderate (ln (5 / 4)).
Proof.
  apply divergent_rule; [apply moderate_stochastic|rewrite <- ln_1; apply ln_increasing; lra|].
  exists 0%nat, 1%nat, (prefix 1). rewrite exp_ln by lra. unfold moderate. written_out. repeat split; try lia; lra.
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

Lemma loss_moderate : loss 2 moderate (ln (9 / 4)) + ln (9 / 8) = ln (9 / 4).
Proof. apply supremum_fixed; [apply moderate_stochastic|apply ln_0; lra|apply instance_supremum]. Qed.

Lemma level_sum : ln (9 / 4) + ln (9 / 4) - ln (9 / 8) = ln (9 / 2).
Proof. enough (ln (9 / 4) + ln (9 / 4) = ln (9 / 2) + ln (9 / 8)) by lra. rewrite <- !ln_mult by lra. apply (f_equal ln). lra. Qed.

Example instance_algorithm_7 : forall T t, (t <= T)%nat ->
  TPL 2 (fun _ => moderate) (fun _ => moderate) (fun _ => ln (9 / 8)) T t <= ln (9 / 2).
Proof.
  apply (algorithm_7 2 moderate moderate _ (ln (9 / 4)) (ln (9 / 4)));
    auto using moderate_stochastic, instance_supremum, level_sum. apply ln_0. lra.
Qed.

Example instance_algorithm_8 : forall t, (t <= 5)%nat ->
  TPL 2 (fun _ => moderate) (fun _ => moderate) (schedule (ln (9 / 4)) (ln (9 / 4)) (ln (9 / 8)) 5) 5 t = ln (9 / 2).
Proof. apply algorithm_8; auto using loss_moderate, level_sum. Qed.

(** ** The tight leakage *)

(** For rows (0.8, 0.2), (0, 1) and e^eps = 2, B_2(1,2) = 9/5 as by the recursion; the next is 77/25. *)
Example instance_sweep : greatest_before 2 (fun _ => moderate) one_bit 1 0 1 (9 / 5) /\
  greatest_before 2 (fun _ => moderate) one_bit 2 0 1 (77 / 25).
Proof.
  unfold greatest_before, sweep, one_bit. rewrite exp_ln by lra.
  split; unfold sum, back, sum, Phi, difference, moderate; written_out; repeat (destruct (Rlt_dec _ _); try lra).
Qed.

Example instance_tight_TPL : exists lambda mu,
  greatest_before 2 (fun _ => symmetric) one_bit 2 0 1 lambda /\
  greatest_after 2 (fun _ => symmetric) one_bit 5 2 0 1 mu /\
  let M := randomized_response one_bit (worst_sets 2 (fun _ => symmetric) (fun _ => symmetric) one_bit 5 2 0 1 lambda mu) in
  conditional 2 symmetric_chain 5 (outputs M (fun _ => true) 0 5) (value 2 0)
  = exp (one_bit 2) * lambda * mu * conditional 2 symmetric_chain 5 (outputs M (fun _ => true) 0 5) (value 2 1).
Proof.
  destruct (greatest_before_exists 2 (fun _ => symmetric) one_bit 2 0 1) as [lambda [_ Hl]];
    auto using symmetric_stochastic, one_bit_nonneg; try lia.
  destruct (greatest_before_exists 2 (fun _ => symmetric) (turned 5 one_bit) (5 - 2) 0 1) as [mu [_ Hm]];
    auto using symmetric_stochastic; try lia; [intros; apply one_bit_nonneg|].
  exists lambda, mu. split; [exact Hl|]. split; [exact Hm|].
  apply (tight_TPL_attained 2 symmetric_chain (fun _ => symmetric) one_bit 5 2 0 1 lambda mu); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg; rewrite symmetric_marginal by lia; lra.
Qed.

Example instance_attained_at_two : exists j k sets, (j < 2)%nat /\ (k < 2)%nat /\
  let worst := outputs (randomized_response one_bit sets) (fun _ => true) 0 1 in
  conditional 2 symmetric_chain 1 worst (value 1 j)
  = exp (BPL 2 (fun _ => symmetric) one_bit 1) * conditional 2 symmetric_chain 1 worst (value 1 k) /\
  0 < conditional 2 symmetric_chain 1 worst (value 1 k).
Proof.
  apply attained_at_two; auto using symmetric_valid, symmetric_bayes, one_bit_nonneg; try lia.
  intros a Ha. rewrite symmetric_marginal by lia. lra.
Qed.

(** For ever: rows (q, 1 - q), (0, 1), q = 4/5, e^eps = 9/8: lambda = 2, h = (4/5, -9/5), theta = 9/10 at once. *)
Example instance_for_ever : forall t, sweep 2 (fun _ => moderate) (fun _ => ln (9 / 8)) t (difference moderate 0 1 2) <= 0.
Proof.
  apply (for_ever 2 moderate (ln (9 / 8)) _ 0 (vector [4 / 5, - 9 / 5]) (9 / 10)).
  - apply moderate_stochastic.
  - apply ln_0. lra.
  - lra.
  - intros a Ha. unfold difference, moderate. simpl. each a Ha; written_out; lra.
  - intros a Ha. rewrite exp_ln by lra. unfold step, back, Phi, moderate.
    each a Ha; written_out; repeat (destruct (Rlt_dec _ _); try lra).
Qed.
