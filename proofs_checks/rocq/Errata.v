(** Where the printed paper is wrong: its words fail on these witnesses. Numbers E1, E2, ... are
    those of docs/claims.md. *)

From TPL Require Export Examples Criterion.
Open Scope R_scope.

(** E33. Theorem 2 as printed, TPL = BPL + FPL - PL_0 with BPL and FPL as defined: values that
    alternate for certain, Pr(yes | value) = 1/2, 1/4, three releases. At the second BPL and FPL
    are at most log 3 and PL_0 is log 2, but TPL is more than log(9/2). *)

Definition alternate : nat -> nat -> R := matrix [[0, 1], [1, 0]].
Definition alternating : chain := {| initial := vector [1 / 2, 1 / 2]; forward := fun _ =>
  alternate |}.
Definition yes_or_no (t a : nat) (yes : bool) : R := vector (if yes then [1 / 2, 1 / 4]
  else [1 / 2, 3 / 4]) a.

Lemma alternating_valid : valid 2 alternating.
Proof.
  split; [unfold alternating; cbn [initial]; distributed|].
  intros t. unfold alternating, alternate. cbn [forward]. rows_distributed.
Qed.

Lemma alternating_marginal T t a : (t <= T)%nat -> (a < 2)%nat -> probability 2 alternating T
  (value t a) = 1 / 2.
Proof.
  intros Ht Ha. rewrite marginal_probability by (auto using alternating_valid). unfold marginal.
    clear Ht.
  revert a Ha. induction t as [|t IH]; intros a Ha; simpl; unfold nothing.
  - unfold alternating. cbn [initial]. each a Ha; written_out; lra.
  - unfold nothing in IH. rewrite (IH 0%nat), (IH 1%nat) by lia. unfold alternating, alternate.
    cbn [forward].
    each a Ha; written_out; lra.
Qed.

Lemma alternating_bayes : bayes 2 alternating (fun _ => alternate).
Proof.
  split; [intros t; apply (proj2 alternating_valid t)|].
  intros t a b Ha Hb. rewrite !alternating_marginal by lia. simpl. unfold alternate.
  each a Ha; each b Hb; written_out; lra.
Qed.

Lemma alternating_given w a : (a < 2)%nat ->
  conditional 2 alternating 2 w (value 1 a) = w 1%nat a * w 0%nat (1 - a)%nat * w 2%nat
    (1 - a)%nat.
Proof.
  intros Ha. rewrite (given_value 2 alternating 2 (fun _ => alternate));
    auto using alternating_valid, alternating_bayes; try lia; [|rewrite alternating_marginal
      by lia; lra].
  unfold likelihood, future, dot, sum, alternating, alternate. simpl. each a Ha; written_out;
    simpl; ring.
Qed.

Example theorem_2_as_printed :
  BPL_at_most 2 alternating 2 yes_or_no 1 (ln 3) /\ FPL_at_most 2 alternating 2 yes_or_no 1 (ln 3)
    /\
  yes_or_no 1 0 true = 2 * yes_or_no 1 1 true /\
  ~ TPL_at_most 2 alternating 2 yes_or_no 1 (ln 3 + ln 3 - ln 2).
Proof.
  repeat split.
  - intros r a b Ha Hb _ _. rewrite !alternating_given, exp_ln by (auto; lra). unfold outputs.
    simpl.
    each a Ha; each b Hb; unfold yes_or_no; destruct (r 0%nat), (r 1%nat), (r 2%nat); simpl; lra.
  - intros r a b Ha Hb _ _. rewrite !alternating_given, exp_ln by (auto; lra). unfold outputs.
    simpl.
    each a Ha; each b Hb; unfold yes_or_no; destruct (r 0%nat), (r 1%nat), (r 2%nat); simpl; lra.
  - unfold yes_or_no. simpl. lra.
  - intros H. specialize (H (fun t => negb (Nat.eqb t 1)) 1%nat 0%nat ltac:(lia) ltac:(lia)).
    rewrite !alternating_marginal in H by lia. specialize (H ltac:(lra) ltac:(lra)).
    replace (ln 3 + ln 3 - ln 2) with (ln (9 / 2)) in H.
    + rewrite !alternating_given, exp_ln in H by (auto; lra). unfold outputs, yes_or_no in H.
      simpl in H. lra.
    + enough (ln (9 / 2) + ln 2 = ln 3 + ln 3) by lra. rewrite <- !ln_mult by lra.
      apply (f_equal ln). lra.
Qed.

(** E1. The recursion is not attained at the third release: backward rows (0, 1), (2/3, 1/3), then
    (0, 1), (2/5, 3/5) (those of the forward rows (0, 1), (1/2, 1/2) from (1/2, 1/2)), e^eps = 2.
    By the recursion e^BPL is at least 58/15, but the greatest that any mechanism attains is 2 *
    9/5 = 18/5. *)

Definition backward_steps (t : nat) : nat -> nat -> R :=
  match t with
  | O => matrix [[0, 1], [2 / 3, 1 / 3]]
  | _ => matrix [[0, 1], [2 / 5, 3 / 5]]
  end.

Example recursion_not_attained :
  58 / 15 <= exp (BPL 2 backward_steps one_bit 2) /\
  greatest_before 2 backward_steps one_bit 2 1 0 (9 / 5) /\ greatest_before 2 backward_steps
    one_bit 2 0 1 (25 / 18) /\
  2 * (9 / 5) < 58 / 15.
Proof.
  repeat split; try lra.
  - assert (H1 : 10 / 3 <= exp (BPL 2 backward_steps one_bit 1)).
    { change (BPL 2 backward_steps one_bit 1) with (loss 2 (backward_steps 0) (ln 2) + ln 2).
      rewrite exp_plus, exp_loss, exp_ln by lra.
      pose proof (gain_upper 2 (backward_steps 0) 2 1 0 (prefix 1) ltac:(lia) ltac:(lia)) as H.
      replace (piece_of 2 (backward_steps 0 1) (backward_steps 0 0) (prefix 1) 2) with (5 / 3) in
        H; [lra|].
      unfold piece_of, piece, backward_steps. written_out. lra. }
    change (BPL 2 backward_steps one_bit 2) with (loss 2 (backward_steps 1) (BPL 2 backward_steps
      one_bit 1) + ln 2).
    rewrite exp_plus, exp_loss, exp_ln by lra. set (A := exp (BPL 2 backward_steps one_bit 1)) in
      *.
    pose proof (gain_upper 2 (backward_steps 1) A 1 0 (prefix 1) ltac:(lia) ltac:(lia)) as H.
    replace (piece_of 2 (backward_steps 1 1) (backward_steps 1 0) (prefix 1) A)
      with (2 / 5 * (A - 1) + 1) in H; [lra|].
    unfold piece_of, piece, backward_steps. written_out. field.
  - unfold greatest_before, sweep, one_bit. rewrite exp_ln by lra.
    unfold sum, back, sum, Phi, difference, backward_steps; written_out;
      repeat (destruct (Rlt_dec _ _); try lra).
  - unfold greatest_before, sweep, one_bit. rewrite exp_ln by lra.
    unfold sum, back, sum, Phi, difference, backward_steps; written_out;
      repeat (destruct (Rlt_dec _ _); try lra).
Qed.

(** Theorem 11 and Algorithm 6 are about the recursion: with rows (7/11, 2/11, 2/11), (0, 0, 1),
    (3/7, 2/7, 2/7) and e^eps = 3/2 it grows without bound, and no mechanism's leakage does. *)

Definition mixing : nat -> nat -> R := matrix [[7 / 11, 2 / 11, 2 / 11], [0, 0, 1], [3 / 7, 2 / 7,
  2 / 7]].

Lemma mixing_stochastic : stochastic 3 mixing.
Proof. unfold mixing. rows_distributed. Qed.

Example recursion_infinite_leakage_bounded :
  unbounded 3 mixing (ln (3 / 2)) /\
  exists u, forall t j k lambda, (j < 3)%nat -> (k < 3)%nat ->
  greatest_before 3 (fun _ => mixing) (fun _ => ln (3 / 2)) t j k lambda -> lambda <= u.
Proof.
  split.
  - apply divergent_rule; [apply mixing_stochastic|rewrite <- ln_1; apply ln_increasing; lra|].
    exists 0%nat, 1%nat, (prefix 2). rewrite exp_ln by lra. unfold mixing. written_out.
      repeat split; try lia; lra.
  - apply (bounded_for_ever 3 mixing (ln (3 / 2)) 1); [lia|apply mixing_stochastic|apply ln_0;
    lra|].
    intros a b Ha Hb. unfold power, apply_power, dot, sum, mixing. each a Ha; each b Hb;
      written_out; simpl; lra.
Qed.

(** E2. Algorithm 1 sets its flag in the first round here, never sets it back, and so never ends;
    the corrected one ends. *)
Example algorithm_1_as_printed :
  rounds 3 worked_q worked_d 5 0 1%nat = true /\ rounds 3 worked_q worked_d 5 1 1%nat = false.
Proof.
  unfold rounds, round, candidates, worked_q, worked_d. split.
  - written_out. destruct (Rlt_dec _ _); [reflexivity|lra].
  - unfold piece_of, piece. written_out. repeat (destruct (Rlt_dec _ _); try lra); reflexivity.
Qed.

(** E3. Theorem 7 is sufficient alone: L is the identity, and no column has a 1 against a 0. *)
Example theorem_7_as_printed : loss 4 halves 1 = 1 /\
  ~ exists j k i, (j < 4)%nat /\ (k < 4)%nat /\ (i < 4)%nat /\ halves j i = 1 /\ halves k i = 0.
Proof.
  split; [apply instance_theorem_7|]. intros [j [k [i [Hj [Hk [Hi [E1 _]]]]]]].
    unfold halves in E1.
  each j Hj; each i Hi; written_out; lra.
Qed.

(** E4. Algorithm 2, line 11, without the "+ 1": at e^alpha = 4, above its log(10/3) and below
    log(13/3), it takes the piece of one column, 19/10, for the optimum, 25/13. *)
Example algorithm_2_as_printed : is_optimum 3 worked_q worked_d (ln 4) (25 / 13) /\
  piece (sum 1 worked_q) (sum 1 worked_d) 4 = 19 / 10 /\ 19 / 10 < 25 / 13 /\
  ln ((worked_q 1 - worked_d 1) / (sum 2 worked_q * worked_d 1 - sum 2 worked_d * worked_q 1)) < ln
    4.
Proof.
  destruct worked_distributions as [Hq Hd]. split; [|split; [|split; [lra|]]].
  - replace (25 / 13) with (piece (sum 2 worked_q) (sum 2 worked_d) (exp (ln 4))).
    + apply (theorem_9 3 2); auto using worked_falling, worked_first_above; try lia;
      [apply ln_0; lra|].
      unfold past_transition, worked_q, worked_d. rewrite exp_ln by lra. simpl. lra.
    + unfold piece, worked_q, worked_d. rewrite exp_ln by lra. simpl. lra.
  - unfold piece, worked_q, worked_d. simpl. lra.
  - unfold worked_q, worked_d. simpl. apply ln_increasing; [|]; lra.
Qed.

(** E8. Theorem 11, case 2, at its boundary eps = log(1/q): no supremum. *)
Example theorem_11_case_2_as_printed : unbounded 2 moderate (ln (5 / 4)) /\
  ln (5 / 4) = ln (1 / (4 / 5)).
Proof. split; [apply instance_divergent|]. apply (f_equal ln). field. Qed.

(** E9. Equation (39): for (q, d) = (1/2, 1/3), e^eps = 2 the root (1 + sqrt 13)/2 solves the
    corrected quadratic, and not the printed one. *)
Example equation_39_as_printed :
  let F := root (1 / 2) (1 / 3) 2 in
  1 / 3 * (F * F) - (1 / 2 * 2 + 1 / 3 - 1) * F + (1 / 2 * 2 - 2) = 0 /\
  1 / 3 * (F * F) + (1 / 2 * 2 + 1 / 3 - 1) * F + (1 / 2 * 2 - 2) <> 0.
Proof.
  unfold root. destruct (Req_EM_T (1 / 3) 0); [lra|].
  replace (4 * (1 / 3) * 2 * (1 - 1 / 2) + (1 / 3 + 1 / 2 * 2 - 1) * (1 / 3 + 1 / 2 * 2 - 1))
    with (13 / 9) by field.
  assert (Hs : sqrt (13 / 9) * sqrt (13 / 9) = 13 / 9) by (apply sqrt_sqrt; lra).
  pose proof (sqrt_pos (13 / 9)). set (s := sqrt (13 / 9)) in *.
  replace ((s + 1 / 3 + 1 / 2 * 2 - 1) / (2 * (1 / 3))) with (3 / 2 * s + 1 / 2) by field.
  assert (E : (3 / 2 * s + 1 / 2) * (3 / 2 * s + 1 / 2) = 7 / 2 + 3 / 2 * s).
  { transitivity (9 / 4 * (s * s) + 3 / 2 * s + 1 / 4); [field|]. rewrite Hs. field. }
  cbv zeta. rewrite E. split; [lra|]. intros Z. lra.
Qed.

(** E10. The pair of rows of the first step is not that of the supremum: rows (2/5, 3/10, 3/10),
    (4/5, 1/5, 0), (3/10, 3/10, 2/5), e^eps = 2. At the first step L is log(17/12), by q = 7/10, d
    = 1/5; its candidate is below 4, and the supremum is at least log 6. *)

Definition three_rows : nat -> nat -> R := matrix [[2 / 5, 3 / 10, 3 / 10], [4 / 5, 1 / 5, 0],
  [3 / 10, 3 / 10, 2 / 5]].

Lemma three_rows_stochastic : stochastic 3 three_rows.
Proof. unfold three_rows. rows_distributed. Qed.

Example theorem_11_first_pair :
  gain 3 three_rows 2 = 17 / 12 /\ piece (7 / 10) (1 / 5) 2 = 17 / 12 /\ root (7 / 10) (1 / 5) 2 <
    4 /\
  forall u, (forall t, level 3 three_rows (ln 2) t <= u) -> ln 6 <= u.
Proof.
  split; [|split; [unfold piece; lra|split]].
  - apply Rle_antisym.
    + apply gain_least; [lra|]. intros j k S Hj Hk. pose proof three_rows_stochastic as HP.
      pose proof (box_rule 3 (three_rows j) (three_rows k) 2 (17 / 12) (corner S 2) (HP j Hj)
        (HP k Hk) ltac:(lra)) as H.
      rewrite !dot_corner in H by auto.
      pose proof (piece_of_spec 3 (three_rows j) (three_rows k) S 2 (HP k Hk) ltac:(lra)).
      pose proof (piece_denominator 3 (three_rows k) S 2 (HP k Hk) ltac:(lra)).
      apply Rmult_le_reg_r with (sum_on 3 S (three_rows k) * (2 - 1) + 1); [lra|]. rewrite H0.
      apply H; [|apply within_corner; lra]. clear H H0 H1.
      unfold positive_part, Rmax, three_rows. each j Hj; each k Hk; written_out;
        repeat (destruct (Rle_dec _ _)); lra.
    + pose proof (gain_upper 3 three_rows 2 2 1 (fun i => Nat.ltb 0 i) ltac:(lia) ltac:(lia)) as H.
      replace (piece_of 3 (three_rows 2) (three_rows 1) (fun i => Nat.ltb 0 i) 2) with (17 / 12) in
        H; [exact H|].
      unfold piece_of, piece, three_rows. written_out. lra.
  - unfold root. destruct (Req_EM_T (1 / 5) 0); [lra|].
    replace (4 * (1 / 5) * 2 * (1 - 7 / 10) + (1 / 5 + 7 / 10 * 2 - 1) * (1 / 5 + 7 / 10 * 2 - 1))
      with (84 / 100) by field.
    assert (sqrt (84 / 100) < 1) by (rewrite <- sqrt_1; apply sqrt_lt_1; lra).
    replace ((sqrt (84 / 100) + 1 / 5 + 7 / 10 * 2 - 1) / (2 * (1 / 5)))
      with (5 / 2 * sqrt (84 / 100) + 3 / 2) by field. lra.
  - apply (bounded_below_rule 3 three_rows (ln 2) 6 2 1 (fun i => Nat.eqb i 2)); try lia; try lra.
    + apply three_rows_stochastic.
    + rewrite <- ln_1. apply ln_increasing; lra.
    + rewrite exp_ln by lra. unfold piece_of, piece, three_rows. written_out. lra.
Qed.

(** E11, E12. Where no two rows differ the supremum is eps; Algorithm 6 as printed starts, and
    ends, with 0. *)
Example algorithm_6_as_printed : is_supremum 2 (matrix [[1 / 2, 1 / 2], [1 / 2, 1 / 2]]) 1 1.
Proof.
  assert (HP : stochastic 2 (matrix [[1 / 2, 1 / 2], [1 / 2, 1 / 2]])) by rows_distributed.
  assert (HL : forall a, 0 <= a -> loss 2 (matrix [[1 / 2, 1 / 2], [1 / 2, 1 / 2]]) a = 0).
  { intros a Ha. apply theorem_6; auto. intros j k i Hj Hk Hi. each j Hj; each k Hk; each i Hi;
    reflexivity. }
  split.
  - intros x [t ->]. revert t. apply level_bound; auto; try lra. rewrite HL by lra. lra.
  - intros u Hu. apply (Hu 1). exists 0%nat. reflexivity.
Qed.

(** E14. Theorem 8 with a tie: q = (2, 2, 1)/5, d = (1, 1, 3)/5. There are k = 2 columns of q_j >
    d_j, and one pair (q, d) alone, whatever alpha: the prefix of one column never satisfies (23).
    *)
Example theorem_8_as_printed : forall A, 1 <= A ->
  ~ condition_2 3 (vector [2 / 5, 2 / 5, 1 / 5]) (vector [1 / 5, 1 / 5, 3 / 5]) (prefix 1) A.
Proof.
  intros A HA H. specialize (H 1%nat ltac:(lia) eq_refl).
  unfold piece_of, piece in H. written_out.
  set (u := (0 + 1 / 5 + 0 + 0) * (A - 1) + 1) in *. set (v := (0 + 2 / 5 + 0 + 0) * (A - 1) + 1)
    in *.
  assert (Hu : 0 < u) by (unfold u; lra). apply Rmult_le_compat_r with (r := u) in H; [|lra].
  replace (v / u * (1 / 5) * u) with (v * (1 / 5)) in H by (field; lra). unfold u, v in H. lra.
Qed.

(** E16. Lemma 1 and the program as printed, with 0 < x_j < 1 and no given least entry: k . x has
    no greatest value. *)
Example lemma_1_as_printed : forall x, feasible 1 (ln 2) x -> exists y, feasible 1 (ln 2) y /\
  dot 1 (fun _ => 1) x < dot 1 (fun _ => 1) y.
Proof.
  intros x Hx. destruct (Hx 0%nat 0%nat ltac:(lia) ltac:(lia)) as [_ [H _]].
  exists (fun _ => (x 0%nat + 1) / 2). split; [|unfold dot; simpl; lra].
  intros j k _ _. rewrite exp_Ropp, exp_ln by lra.
    replace ((x 0%nat + 1) / 2 / ((x 0%nat + 1) / 2)) with 1 by (field; lra). lra.
Qed.

(** E17. Theorem 12 as printed, where the denominator may be below 0: of the two points (Q, D) =
    (1, 1) and (-3, -1) the first makes max (Q - lambda D) = 0, and the second is the better. *)
Example theorem_12_as_printed : 1 - 1 / 1 * 1 = 0 /\ -3 - 1 / 1 * -1 <= 0 /\ 1 / 1 < -3 / -1.
Proof. repeat split; lra. Qed.

(** E24. Corollary 1 as an equality: the second value is always the first one of the two, so that
    the second release tells nothing. The whole leaks log 2, not log 4. *)

Definition forgetful : chain := {| initial := vector [1 / 2, 1 / 2]; forward := fun _ =>
  matrix [[1, 0], [1, 0]] |}.

Lemma forgetful_valid : valid 2 forgetful.
Proof.
  split; [unfold forgetful; cbn [initial]; distributed|]. intros t. unfold forgetful.
    cbn [forward]. rows_distributed.
Qed.

Example corollary_1_as_printed : window_leaks_at_most 2 forgetful 1 response 0 1 (ln 2) /\
  sum 2 one_bit = ln 2 + ln 2.
Proof.
  split; [|unfold one_bit; simpl; ring].
  pose proof (bayes_rule 2 forgetful ltac:(lia) forgetful_valid) as HB.
  intros r l l' Hl Pl Pl'. rewrite exp_ln by lra.
  assert (Hend : forall p, (forall s, (p s < 2)%nat) -> 0 < probability 2 forgetful 1
    (values p 0 (0 + 1)) -> p 1%nat = 0%nat).
  { intros p Hp H. rewrite (probability_ext 2 forgetful 1 _ (both nothing (values p 0 (0 + 1)))) in
    H
      by (intros; unfold both, nothing; ring).
    rewrite probability_window in H by auto. unfold trail in H.
    destruct (p 1%nat) as [|q] eqn:E; [reflexivity|exfalso]. pose proof (Hp 1%nat). rewrite E in *.
    assert (q = 0%nat) as -> by lia. simpl in H. rewrite E in H. pose proof (Hp 0%nat).
      unfold forgetful in H. cbn [forward] in H.
    destruct (p 0%nat) as [|[|?]]; [| |lia]; written_out; lra. }
  change (values l 0 1) with (values l 0 (0 + 1)) in *.
    change (values l' 0 1) with (values l' 0 (0 + 1)) in *.
  assert (E : l 1%nat = 0%nat) by (apply Hend; auto; intros; apply Hl).
  assert (E' : l' 1%nat = 0%nat) by (apply Hend; auto; intros; apply Hl).
  rewrite !(given_window 2 forgetful 1 (reversed 2 forgetful)) by (auto using forgetful_valid;
    intros; apply Hl).
  pose proof (outputs_bounded 2 one_bit response r 0 1 one_bit_nonneg response_private) as Hw.
  simpl. rewrite E, E'. destruct (Hw 0%nat (l 0%nat) (l' 0%nat) (proj1 (Hl _)) (proj2 (Hl _)))
    as [W0 W].
  unfold one_bit in W. rewrite exp_ln in W by lra.
  destruct (Hw 1%nat 0%nat 0%nat ltac:(lia) ltac:(lia)) as [V0 _].
  set (x := outputs response r 0 1 0%nat (l 0%nat)) in *.
    set (y := outputs response r 0 1 0%nat (l' 0%nat)) in *.
  set (z := outputs response r 0 1 1%nat 0%nat) in *. nra.
Qed.

(** E6. Algorithm 3, line 5, divides qArr[k] (e^alpha - 1) + 1 by itself, which leaves eps: two
    rows with disjoint supports, alpha = log 2 and eps = log(3/2), of which the loss and the budget
    come to log 3. *)
Definition apart : nat -> nat -> R := matrix [[1, 0], [0, 1]].

Example algorithm_3_as_printed :
  ln ((1 * (exp (ln 2) - 1) + 1) / (1 * (exp (ln 2) - 1) + 1)) + ln (3 / 2) = ln (3 / 2) /\
  loss 2 apart (ln 2) + ln (3 / 2) = ln 3 /\ ln (3 / 2) < ln 3.
Proof.
  rewrite exp_ln by lra. split; [|split].
  - replace ((1 * (2 - 1) + 1) / (1 * (2 - 1) + 1)) with 1 by field. rewrite ln_1. ring.
  - rewrite (theorem_7 2 apart 0 1); try lia; [|unfold apart; rows_distributed| |apply ln_0; lra].
    + rewrite <- ln_mult by lra. f_equal. lra.
    + intros j Hj. unfold apart. each j Hj; written_out; auto.
  - apply ln_increasing; lra.
Qed.

(** E18. The region is open, so that bounded and not empty gives no greatest value: of x_1 over (0,
    1). *)
Example existence_as_printed : ~ exists x, 0 < x < 1 /\ forall y, 0 < y < 1 -> y <= x.
Proof. intros [x [Hx H]]. specialize (H ((x + 1) / 2) ltac:(lra)). lra. Qed.

(** E20. In Example 4 log(13/3), where the pentagram is, is a transition point, that of the rows 2
    and 1 by their second column. *)
Example example_4_as_printed :
  transition (vector [3 / 10, 3 / 10, 4 / 10]) (vector [1 / 10, 2 / 10, 7 / 10]) 2 = ln (13 / 3).
Proof. unfold transition. f_equal. simpl. field. Qed.

(** E22. No Markov chain has the two matrices of Figure 8. *)
Example figure_8_as_printed : ~ exists c B, valid 2 c /\ bayes 2 c B /\
  (forall t a, forward c t a = matrix [[4 / 5, 1 / 5], [1 / 10, 9 / 10]] a) /\
  (forall t a, B t a = matrix [[4 / 5, 1 / 5], [1 / 5, 4 / 5]] a).
Proof.
  intros [c [B [Hc [[_ HB] [EF EB]]]]]. pose proof (proj2 (proj1 Hc)) as Hsum. simpl in Hsum.
  assert (Hi : forall a, (a < 2)%nat -> probability 2 c 0 (value 0 a) = initial c a).
  { intros a Ha. rewrite marginal_probability by (auto; lia). unfold marginal. simpl.
    unfold nothing. ring. }
  pose proof (HB 0%nat 0%nat 0%nat ltac:(lia) ltac:(lia)) as H00.
    pose proof (HB 0%nat 1%nat 0%nat ltac:(lia) ltac:(lia)) as H10.
  pose proof (HB 0%nat 0%nat 1%nat ltac:(lia) ltac:(lia)) as H01.
    pose proof (HB 0%nat 1%nat 1%nat ltac:(lia) ltac:(lia)) as H11.
  rewrite EF, EB, Hi in H00, H10, H01, H11 by lia. written_out. lra.
Qed.
