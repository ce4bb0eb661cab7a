(** An instance of each theorem about the worst of all mechanisms and of all streams. *)

From TPL Require Export Examples Worst Quotient Doubles Integers AboveOthers Order Attained.
Open Scope R_scope.

Lemma symmetric_both t T : (t <= T)%nat -> exists j k, (j < 2)%nat /\ (k < 2)%nat /\ j <> k /\
  0 < probability 2 symmetric_chain T (value t j) /\ 0 < probability 2 symmetric_chain
    T (value t k).
Proof. intros Ht. exists 0%nat, 1%nat. rewrite !symmetric_marginal by lia. repeat split;
  lia || lra. Qed.

(** ** The greatest leakage *)

Example instance_greatest : (exists x, is_lub (leaked 2 symmetric_chain 5 one_bit 2 0 5) x) /\
  (exists x, is_lub (leaked 2 symmetric_chain 5 one_bit 2 0 2) x) /\
    (exists x, is_lub (leaked 2 symmetric_chain 5 one_bit 2 2 5) x).
Proof.
  assert (Hboth : forall T, (2 <= T)%nat -> exists j k, (j < 2)%nat /\ (k < 2)%nat /\ j <> k /\
    0 < probability 2 symmetric_chain T (value 2 j) /\ 0 < probability 2 symmetric_chain
      T (value 2 k))
    by (intros; apply symmetric_both; assumption).
  destruct (greatest_TPL 2 symmetric_chain (fun _ => symmetric) one_bit 5 2) as [x [_ [_ Hx]]];
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg.
  destruct (greatest_BPL 2 symmetric_chain (fun _ => symmetric) one_bit 5 2) as [y [_ [_ Hy]]];
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg.
  destruct (greatest_FPL 2 symmetric_chain (fun _ => symmetric) one_bit 5 2) as [z [_ [_ Hz]]];
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg.
  split; [exists x; exact Hx|split; [exists y; exact Hy|exists z; exact Hz]].
Qed.

(** At the first time BPL is the budget alone. *)
Example instance_greatest_first : is_lub (leaked 2 symmetric_chain 5 one_bit 0 0 0) (ln 2).
Proof.
  destruct (greatest_BPL 2 symmetric_chain (fun _ => symmetric) one_bit 5 0 symmetric_valid
    symmetric_bayes one_bit_nonneg
    ltac:(lia) (symmetric_both 0 5 ltac:(lia))) as [x [[j [k H]] [_ Hx]]].
  destruct H as [_ [_ [_ [_ [_ [lambda [mu [Hl [Hm E]]]]]]]]]. simpl in Hl, Hm. subst lambda mu.
  rewrite ln_1, !Rplus_0_r in E. subst x. exact Hx.
Qed.

Lemma symmetric_settles eps : settles 2 symmetric eps.
Proof.
  exists (fun _ => true), 0%nat, (fun _ => 0).
  split; [split; [exists 0%nat; split; [lia|reflexivity]|split]|].
  - intros a b Ha Hb _ F. discriminate.
  - intros a b Ha Hb _. unfold power, symmetric. each a Ha; each b Hb; simpl; written_out; simpl;
    lra.
  - intros a Ha F. discriminate.
Qed.

Example instance_bounded_for_ever : exists v, forall (O : Type) (M : nat -> nat -> O -> R) T t,
  (t <= T)%nat ->
  private 2 (fun _ => 1) M -> TPL_at_most 2 symmetric_chain T M t v.
Proof.
  apply (TPL_bounded_for_ever 2 symmetric_chain (fun _ => symmetric) symmetric symmetric 1);
    auto using symmetric_valid, symmetric_bayes,
    symmetric_settles; try lia; try lra. intros t a Ha. rewrite symmetric_marginal by lia. lra.
Qed.

Example instance_BPL_bounded_for_ever : exists v, forall (O : Type) (M : nat -> nat -> O -> R) T t,
  (t <= T)%nat ->
  private 2 (fun _ => 1) M -> BPL_at_most 2 symmetric_chain T M t v.
Proof.
  apply (BPL_bounded_for_ever 2 symmetric_chain (fun _ => symmetric) symmetric 1);
    auto using symmetric_valid, symmetric_bayes,
    symmetric_settles; try lia; try lra. intros t a Ha. rewrite symmetric_marginal by lia. lra.
Qed.

(** A value that never changes: what is published later is about it for ever. *)
Definition constant : chain := {| initial := vector [1 / 2, 1 / 2]; forward := fun _ a b =>
  if Nat.eqb a b then 1 else 0 |}.

Lemma constant_valid : valid 2 constant.
Proof. split; [unfold constant; simpl; distributed|]. intros t i Hi. each i Hi; split;
  try (intros j Hj; each j Hj); simpl; lra. Qed.

Lemma constant_marginal T t a : (t <= T)%nat -> (a < 2)%nat -> probability 2 constant T (value t a)
  = 1 / 2.
Proof.
  intros Ht Ha. rewrite marginal_probability by auto using constant_valid. revert a Ha.
    induction t as [|t IH]; intros a Ha.
  - unfold marginal, nothing, constant. simpl. each a Ha; simpl; lra.
  - unfold marginal in *. simpl. rewrite !IH by lia. unfold nothing. each a Ha; simpl; lra.
Qed.

Example instance_FPL_bounded_for_ever : ~ exists v, forall (O : Type) (M : nat -> nat -> O ->
  R) T t, (t <= T)%nat ->
  private 2 (fun _ => 1) M -> FPL_at_most 2 constant T M t v.
Proof.
  rewrite (FPL_bounded_for_ever 2 constant (reversed 2 constant) (forward constant 0));
    auto using constant_valid; try lia; try lra.
  - intros [K [m [h [[[b [Hb Kb]] [_ Hreach]] _]]]].
    assert (Hzero : forall r a, (a < 2)%nat -> a <> b -> power 2 (forward constant 0) r a b = 0).
    { induction r as [|r IH]; intros a Ha Hab.
      - unfold power. simpl. destruct (Nat.eqb_spec a b); [contradiction|reflexivity].
      - change (power 2 (forward constant 0) (S r) a b)
          with (0 + forward constant 0 a 0%nat * power 2 (forward constant 0) r 0 b + forward
            constant 0 a 1%nat * power 2 (forward constant 0) r 1 b).
        assert (P : forall d, forward constant 0 a d = if Nat.eqb a d then 1 else 0)
          by reflexivity. rewrite !P.
        specialize (IH a Ha Hab). each a Ha; cbn [Nat.eqb]; rewrite IH; ring. }
    each b Hb.
    + specialize (Hreach 1%nat 0%nat ltac:(lia) ltac:(lia) Kb). rewrite Hzero in Hreach by lia.
      lra.
    + specialize (Hreach 0%nat 1%nat ltac:(lia) ltac:(lia) Kb). rewrite Hzero in Hreach by lia.
      lra.
  - apply bayes_rule; [lia|apply constant_valid].
  - intros t a Ha. rewrite constant_marginal by lia. lra.
Qed.

(** ** Streams *)

(** Whether the first two values are equal, by randomized response: an answer about both, of which
    each alone has its budget. *)
Definition equal_values (l : path) (answer : bool) : R :=
  (if Bool.eqb (Nat.eqb (l 0%nat) (l 1%nat)) answer then 2 else 1) / 3.

Lemma equal_values_private T : private_stream 2 T one_bit equal_values.
Proof.
  intros o l s a Hl Hs Ha. unfold equal_values, one_bit. rewrite exp_ln by lra.
  destruct (Bool.eqb (Nat.eqb (l 0%nat) (l 1%nat)) o),
    (Bool.eqb (Nat.eqb (then_at l s a 0%nat) (then_at l s a 1%nat)) o); lra.
Qed.

Example instance_joint_TPL : exists lambda mu, forall o,
  given 2 symmetric_chain 5 (fun l => equal_values l o) (value 1 0)
  <= exp (one_bit 1) * lambda * mu * given 2 symmetric_chain 5 (fun l => equal_values l o)
    (value 1 1).
Proof.
  destruct (greatest_before_exists 2 (fun _ => symmetric) one_bit 1 0 1) as [lambda [_ Hl]];
    auto using symmetric_stochastic, one_bit_nonneg; try lia.
  destruct (greatest_before_exists 2 (fun _ => symmetric) (turned 5 one_bit) (5 - 1) 0 1)
    as [mu [_ Hm]];
    auto using symmetric_stochastic; try lia; [intros; apply one_bit_nonneg|].
  exists lambda, mu. intros o.
  apply (joint_TPL 2 symmetric_chain (fun _ => symmetric) one_bit 5 equal_values 1 0 1 lambda mu
    o); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, equal_values_private;
      rewrite symmetric_marginal by lia; lra.
Qed.

Example instance_joint_TPL_attained : exists lambda mu (M : path -> (nat -> bool) -> R),
  private_stream 2 5 one_bit M /\
  given 2 symmetric_chain 5 (fun l => M l (fun _ => true)) (value 2 0)
  = exp (one_bit 2) * lambda * mu * given 2 symmetric_chain 5 (fun l => M l (fun _ => true))
    (value 2 1).
Proof.
  destruct instance_tight_TPL as [lambda [mu [Hl [Hm _]]]]. exists lambda, mu.
  destruct (joint_TPL_attained 2 symmetric_chain (fun _ => symmetric) one_bit 5 2 0 1 lambda mu)
    as [HM [E _]]; try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg; try (rewrite symmetric_marginal
      by lia; lra).
  eexists. split; [exact HM|exact E].
Qed.

Example instance_joint_BPL : exists lambda, forall o,
  given 2 symmetric_chain 5 (fun l => equal_values l o) (value 1 0)
  <= exp (one_bit 1) * lambda * given 2 symmetric_chain 5 (fun l => equal_values l o) (value 1 1).
Proof.
  destruct (greatest_before_exists 2 (fun _ => symmetric) one_bit 1 0 1) as [lambda [_ Hl]];
    auto using symmetric_stochastic, one_bit_nonneg; try lia.
  exists lambda. intros o.
  apply (joint_BPL 2 symmetric_chain (fun _ => symmetric) one_bit 5 equal_values 1 0 1 lambda o);
    try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, equal_values_private;
      try (rewrite symmetric_marginal by lia; lra).
  intros l s a o' Hs. unfold equal_values. rewrite !then_at_other by lia. reflexivity.
Qed.

(** The answers to the times 0 and 1 are repeated at time 2, and that is of what FPL_2 speaks. *)
Example instance_adaptive_is_joint : private_stream 2 5 one_bit (adaptive_stream 5
  (repeating one_bit (fun _ => Nat.eqb 0) 2)).
Proof. apply adaptive_is_joint, repeating_adaptive, one_bit_nonneg. Qed.

Example instance_joint_FPL : exists lambda mu, forall r,
  let later := fun l => later_outputs 2 2 (adaptive_stream 5 (repeating one_bit (fun _ =>
    Nat.eqb 0) 2)) l r in
  given 2 symmetric_chain 5 later (value 2 0) <= exp (one_bit 2) * lambda * mu * given 2
    symmetric_chain 5 later (value 2 1).
Proof.
  destruct instance_tight_TPL as [lambda [mu [Hl [Hm _]]]]. exists lambda, mu. intros r.
  apply (joint_FPL 2 symmetric_chain (fun _ => symmetric) one_bit 5 2 _ 2 0 1 lambda mu r);
    try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, instance_adaptive_is_joint;
      rewrite symmetric_marginal by lia; lra.
Qed.

Example instance_adaptive_FPL_attained : exists lambda mu M, adaptive 2 one_bit M /\
  given 2 symmetric_chain 5 (fun l => later_outputs 2 2 (adaptive_stream 5 M) l (fun _ => 1%nat))
    (value 2 0)
  = exp (one_bit 2) * lambda * mu *
    given 2 symmetric_chain 5 (fun l => later_outputs 2 2 (adaptive_stream 5 M) l (fun _ => 1%nat))
      (value 2 1).
Proof.
  destruct instance_tight_TPL as [lambda [mu [Hl [Hm _]]]]. exists lambda, mu.
  destruct (adaptive_FPL_attained 2 symmetric_chain (fun _ => symmetric) one_bit 5 2 0 1 lambda mu)
    as [M [HM [_ [E _]]]]; try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg; try (rewrite symmetric_marginal
      by lia; lra).
  exists M. split; [exact HM|exact E].
Qed.

(** Two kinds of people, independent draws with (9/10, 1/10) and with (1/10, 9/10): each kind alone
    leaks the budget log 2, and who does not know the kind learns at most log 2 + log 9. *)
Definition draws (i : nat) : chain :=
  let q := if Nat.eqb i 0 then vector [9 / 10, 1 / 10] else vector [1 / 10, 9 / 10] in
    {| initial := q; forward := fun _ _ => q |}.

Lemma draws_valid i : valid 2 (draws i).
Proof. unfold draws. destruct (Nat.eqb i 0); split; simpl; try distributed; intros t j Hj;
  distributed. Qed.

Lemma draws_probability i T a : (a < 2)%nat -> probability 2 (draws i) T (value 0 a) = initial
  (draws i) a.
Proof. intros Ha. rewrite marginal_probability by (auto using draws_valid; lia).
  unfold marginal, nothing. simpl. ring. Qed.

Example instance_mixture_rule : let M := local_stream 1 response in forall r,
  given_mixture 2 2 (fun _ => 1 / 2) draws 1 (fun l => M l r) (value 0 0)
  <= exp (ln 2) * 9 * given_mixture 2 2 (fun _ => 1 / 2) draws 1 (fun l => M l r) (value 0 1).
Proof.
  intros M r.
  assert (HM : private_stream 2 1 one_bit M) by (apply local_is_private, response_private).
  assert (Hall : forall a, (a < 2)%nat -> over_chains 2 2 (fun _ => 1 / 2) draws 1 (value 0 a) = 1
    / 2).
  { intros a Ha. unfold over_chains. simpl. rewrite !draws_probability by assumption. unfold draws.
    simpl. each a Ha; simpl; lra. }
  apply (mixture_rule 2 2 (fun _ => 1 / 2) draws 1 one_bit M 0 (fun _ => ln 2) (exp (ln 2) * 9) 0 1
    r); try lia; auto.
  - intros i _. split; [lra|apply draws_valid].
  - intros i _ Pa Pb. cbv beta.
    replace (exp (ln 2)) with (exp (one_bit 0) * 1 * 1) by (unfold one_bit; ring).
    apply (joint_TPL 2 (draws i) (reversed 2 (draws i)) one_bit 1 M 0 0 1 1 1 r);
      auto using draws_valid, one_bit_nonneg; try lia.
    + apply bayes_rule; [lia|apply draws_valid].
    + reflexivity.
    + unfold greatest_after, greatest_before. simpl. unfold Phi, difference, draws. simpl.
      destruct (Nat.eqb i 0); simpl; repeat (destruct (Rlt_dec _ _); try lra).
  - intros i Hi. unfold posterior. rewrite exp_ln_of, !Hall, !draws_probability by (lia || lra).
    unfold draws. each i Hi; simpl; lra.
  - rewrite Hall by lia. lra.
  - rewrite Hall by lia. lra.
Qed.

(** ** Sets of outputs *)

(** With delta = 1/10 at each of two releases and eps = 0, 3/20 is the most that is told at level
    0,
    of the last value or of the first. *)
Definition tenth : R -> R := approximate 0 (1 / 10).

Lemma tenth_is u : tenth u = Rmin 1 (u + 1 / 10).
Proof.
  unfold tenth, approximate. rewrite Ropp_0, exp_0.
  replace (1 - 1 * (1 - 1 / 10 - u)) with (1 * u + 1 / 10) by ring.
  unfold Rmin at 2. destruct (Rle_dec _ _); f_equal; ring.
Qed.

Lemma tenth_profile P phi : (forall s, phi s = tenth) -> P 0%nat = symmetric ->
  profile_at_most 2 P phi 1 0 1 1 (3 / 20).
Proof.
  intros Hphi HP. unfold profile_at_most, recursion_at_most. rewrite HP, !Hphi.
  exists (fun a u => if Nat.eqb a 0 then (u + 1 / 10) / 2 + 3 / 40 else 1 / 40 - u / 2).
  split.
  - intros a u w Ha Hu Hw H. rewrite tenth_is in *. pose proof (Rmin_r 1 (u + 1 / 10)).
    pose proof (Rmin_r 1 (w + 1 / 10)). unfold symmetric. each a Ha; written_out; simpl; lra.
  - intros u Hu. simpl. lra.
Qed.

Example instance_profile : forall g, private_set 2 1 (fun _ => tenth) g ->
  given 2 symmetric_chain 1 g (value 1 0) - 1 * given 2 symmetric_chain 1 g (value 1 1) <= 3 / 20
  /\
  given 2 symmetric_chain 1 g (value 0 0) - 1 * given 2 symmetric_chain 1 g (value 0 1) <= 3 / 20.
Proof.
  intros g Hg. split.
  - apply (BPL_profile 2 symmetric_chain (fun _ => symmetric) (fun _ => tenth)); try lia;
      auto using symmetric_valid, symmetric_bayes, tenth_profile;
      rewrite symmetric_marginal by lia; lra.
  - apply (FPL_profile 2 symmetric_chain (fun _ => tenth)); try lia;
      auto using symmetric_valid, tenth_profile; rewrite symmetric_marginal by lia; lra.
Qed.

(** One such set asks at the first release as well, and stands at 0; one is no more likely than its
    complement, whatever the values. *)
Example instance_places : private_set 2 1 (fun _ => tenth) (set_by_places (fun s => s)
  (fun _ => tenth) (fun _ a => if Nat.eqb a 0 then 1 else 0) 0 1 0) /\
  private_set 2 1 (fun _ => tenth) (fun _ => 1 / 2).
Proof.
  split.
  - apply (places_private 2 (fun s => s) (fun _ => tenth)); auto using one_for_all; try lra.
    + intros s. apply approximate_rises; lra.
    + split; [intros s r _ _ E; exact E|]. intros t Ht. exists t. auto.
  - apply (approximate_private 2 1 (fun _ => 0) (fun _ => 1 / 10)); intros; rewrite ?exp_0; lra.
Qed.

Lemma profile_of_one : True.
Proof. pose proof (instance_profile _ (proj2 instance_places)). exact I. Qed.

(** And that set tells as much of the last value as any does. *)
Example instance_places_tell : let g := set_by_places (fun s => s) (fun _ => tenth) (fun _ a =>
  if Nat.eqb a 0 then 1 else 0) 0 1 0 in
  given 2 symmetric_chain 1 g (value 1 0) - 1 * given 2 symmetric_chain 1 g (value 1 1) = 3 / 20.
Proof.
  intros g. unfold g. rewrite (places_tell 2 symmetric_chain (fun _ => symmetric));
    auto using symmetric_valid, symmetric_bayes; try (rewrite symmetric_marginal by lia; lra).
  unfold recursion_by_places, clamped, symmetric. rewrite !tenth_is. written_out. simpl.
  unfold Rmax, Rmin. repeat (destruct (Rle_dec _ _); try lra).
  rewrite !tenth_is. unfold Rmin. repeat (destruct (Rle_dec _ _); try lra).
Qed.

(** Releases with different deltas, which commute: 1/10 at time 0, 1/5 at time 1. The greatest that
    is told is no less than what any other set tells. *)
Definition two_deltas (s : nat) : R -> R := approximate 0 (if Nat.eqb s 0 then 1 / 10 else 1 / 5).

Lemma two_deltas_shaped s : trade_off (two_deltas s).
Proof. unfold two_deltas. destruct (Nat.eqb s 0); apply approximate_trade_off; lra. Qed.

Lemma two_deltas_turn r s u : 0 <= u <= 1 ->
  two_deltas s (two_deltas r u) <= two_deltas r (two_deltas s u).
Proof.
  intros Hu. unfold two_deltas, approximate. rewrite Ropp_0, exp_0. unfold Rmin.
  destruct (Nat.eqb s 0), (Nat.eqb r 0); repeat (destruct (Rle_dec _ _); try lra).
Qed.

Example instance_BPL_profile_attained : exists g, private_set 2 1 two_deltas g /\
  forall other, private_set 2 1 two_deltas other ->
  given 2 symmetric_chain 1 other (value 1 0) - 2 * given 2 symmetric_chain 1 other (value 1 1) <=
  given 2 symmetric_chain 1 g (value 1 0) - 2 * given 2 symmetric_chain 1 g (value 1 1).
Proof.
  assert (P : forall a, (a < 2)%nat -> 0 < probability 2 symmetric_chain 1 (value 1 a))
    by (intros; rewrite symmetric_marginal by lia; lra).
  destruct (BPL_profile_attained 2 symmetric_chain (fun _ => symmetric) two_deltas 1 0 1 2)
    as [g [D [Hg [E H]]]]; auto using symmetric_valid, symmetric_bayes, two_deltas_shaped.
  - intros r s u _ _. apply two_deltas_turn.
  - exists g. split; [assumption|]. intros other Ho. rewrite E.
    apply (BPL_profile 2 symmetric_chain (fun _ => symmetric) two_deltas);
      auto using symmetric_valid, symmetric_bayes.
Qed.

Example instance_FPL_profile_attained : exists g, private_set 2 1 two_deltas g /\
  forall other, private_set 2 1 two_deltas other ->
  given 2 symmetric_chain 1 other (value 0 0) - 2 * given 2 symmetric_chain 1 other (value 0 1) <=
  given 2 symmetric_chain 1 g (value 0 0) - 2 * given 2 symmetric_chain 1 g (value 0 1).
Proof.
  assert (P : forall a, (a < 2)%nat -> 0 < probability 2 symmetric_chain 1 (value 0 a))
    by (intros; rewrite symmetric_marginal by lia; lra).
  destruct (FPL_profile_attained 2 symmetric_chain two_deltas 1 0 1 2)
    as [g [D [Hg [E H]]]]; auto using symmetric_valid, two_deltas_shaped.
  - intros r s u _ _. apply two_deltas_turn.
  - exists g. split; [assumption|]. intros other Ho. rewrite E.
    apply (FPL_profile 2 symmetric_chain two_deltas); auto using symmetric_valid.
Qed.

(** ** Symmetry *)

(** Four values that are left for each of the others alike: to the values 0 and 1 the other two are
    one cell, and to the values 2 and 3 these. *)
Definition alike : nat -> nat -> R := fun a b => if Nat.eqb a b then 2 / 5 else 1 / 5.
Definition first_two (a : nat) : nat := match a with 0 => 0 | 1 => 1 | _ => 2 end%nat.
Definition last_two (a : nat) : nat := match a with 2 => 0 | 3 => 1 | _ => 2 end%nat.
Definition of_cells : nat -> nat -> R := matrix
  [[2 / 5, 1 / 5, 1 / 5], [1 / 5, 2 / 5, 1 / 5], [2 / 5, 2 / 5, 3 / 5]].
Definition row_on_cells (j : nat) : nat -> R := fun A => if Nat.eqb A j then 2 / 5 else 1 / 5.

Lemma alike_cells : cells 4 3 first_two /\ cells 4 3 last_two /\
  equitable 4 3 first_two alike of_cells /\ equitable 4 3 last_two alike of_cells.
Proof.
  unfold cells, equitable, cell_sum, first_two, last_two, alike, of_cells.
  split; [|split; [|split]].
  - intros a Ha. each a Ha; simpl; lia.
  - intros a Ha. each a Ha; simpl; lia.
  - intros A b HA Hb. each A HA; each b Hb; simpl; written_out; lra.
  - intros A b HA Hb. each A HA; each b Hb; simpl; written_out; lra.
Qed.

Lemma alike_rows : rows_on_cells 4 first_two alike 0 1 (row_on_cells 0) (row_on_cells 1) /\
  rows_on_cells 4 last_two alike 2 3 (row_on_cells 0) (row_on_cells 1).
Proof. split; intros a Ha; each a Ha; split; reflexivity. Qed.

(** The sweep of those two values is that of three cells, *)
Example instance_sweep_of_quotient : forall t,
  sweep 4 (fun _ => alike) one_bit t (difference alike 0 1 1) =
  quotient_sweep 3 (cell_size 4 first_two) (fun _ => of_cells) one_bit t
    (fun A => row_on_cells 0 A - 1 * row_on_cells 1 A).
Proof.
  destruct alike_cells as [H1 [_ [H2 _]]]. intros t.
  apply (sweep_of_quotient 4 3 first_two (fun _ => alike) (fun _ => of_cells)); auto.
  intros a Ha. each a Ha; reflexivity.
Qed.

Example instance_greatest_of_quotient : forall t, exists lambda,
  greatest_in_quotient 3 (cell_size 4 first_two) (fun _ => of_cells) one_bit t (row_on_cells 0)
    (row_on_cells 1) lambda.
Proof.
  destruct alike_cells as [H1 [_ [H2 _]]]. intros t.
  destruct (greatest_before_exists 4 (fun _ => alike) one_bit t 0 1) as [lambda [_ H]]; try lia;
    auto using one_bit_nonneg.
  - intros _ a Ha. unfold alike. each a Ha; distributed.
  - exists lambda.
    apply (greatest_of_quotient 4 3 first_two (fun _ => alike) (fun _ => of_cells) one_bit t 0 1
      (row_on_cells 0) (row_on_cells 1) lambda H1 (fun _ _ => H2) (proj1 alike_rows)). exact H.
Qed.

(** and the values 2 and 3 have the same ratios at every depth. *)
Example instance_equal_quotients : forall t lambda,
  greatest_before 4 (fun _ => alike) one_bit t 0 1 lambda <->
  greatest_before 4 (fun _ => alike) one_bit t 2 3 lambda.
Proof.
  destruct alike_cells as [H1 [H2 [H3 H4]]]. intros t lambda.
  apply (equal_quotients 4 4 3 first_two last_two (fun _ => alike) (fun _ => alike)
    (fun _ => of_cells) one_bit t 0 1 2 3 (row_on_cells 0) (row_on_cells 1)); auto.
  - intros A HA. unfold cell_size, cell_sum, first_two, last_two. each A HA; written_out; simpl;
    lra.
  - apply alike_rows.
  - apply alike_rows.
Qed.

(** ** Chains of any order *)

(** A value stays with probability 3/4 where the one before it has stayed, and otherwise 1/2. *)
Definition stays (r : nat) (l : path) : R :=
  if Nat.eqb r 0 then 1 / 2
  else if Nat.eqb (l (r - 1)%nat) (l (r - 2)%nat)
    then if Nat.eqb (l r) (l (r - 1)%nat) then 3 / 4 else 1 / 4
    else 1 / 2.

Lemma stays_order : chain_of_order 2 2 stays.
Proof.
  unfold stays. split.
  - intros r l _. repeat (destruct (Nat.eqb _ _)); lra.
  - intros r l Hl. destruct (Nat.eqb_spec r 0) as [E|N]; [simpl; lra|]. simpl sum.
    rewrite !then_at_same, !(then_at_other l r) by lia.
    destruct (Nat.eqb _ _); [|lra]. specialize (Hl (r - 1)%nat).
    destruct (l (r - 1)%nat) as [|[|x]]; simpl; lra || lia.
  - intros r l s b H. destruct (Nat.eqb_spec r 0) as [E|N]; [reflexivity|].
    rewrite !then_at_other by lia. reflexivity.
Qed.

Definition first_two_equal (l : path) : R := if Nat.eqb (l 0%nat) (l 1%nat) then 2 / 3 else 1 / 3.

Example instance_order_bounds : given_side 2 2 stays first_two_equal 0 <=
  exp (one_bit 0) * 3 * given_side 2 2 stays first_two_equal 1.
Proof.
  apply (order_bounds 2 2 stays 2 one_bit); auto using stays_order.
  - intros l s a Hl Hs Ha. unfold first_two_equal, one_bit. rewrite exp_ln by lra.
    destruct (Nat.eqb (l 0%nat) (l 1%nat)), (Nat.eqb (then_at l s a 0%nat) (then_at l s a 1%nat));
      lra.
  - unfold one_bit. cbn [tuple_sweep sum]. unfold Phi_on, law_behind, tuple_difference.
    rewrite exp_ln by lra. simpl. unfold stays, then_at, origin. simpl.
    repeat (destruct (Rlt_dec _ _); try lra).
Qed.

(** ** The check from above *)

(** At time 1 each of two values is tested at 7/5, by one step; at time 2 at 5/3, with what that
    proves of time 1, and with two steps. *)
Lemma tested_once eps : (forall s, exp (eps s) <= 2) -> forall j k, (j < 2)%nat -> (k < 2)%nat ->
  j <> k -> tested 2 (fun _ => symmetric) eps 1 j k (7 / 5).
Proof.
  intros He j k Hj Hk Hjk. exists 0%nat, (fun _ => difference symmetric j k (7 / 5)), (fun _ => 2),
    (fun _ => 1). repeat split; try lia; try lra; try (intros; lia); try (intros; simpl; lra).
  right. split.
  - intros a b odds _ _ _ H. simpl in H. subst odds. rewrite Rmult_1_r. apply He.
  - unfold Phi, difference, symmetric. each j Hj; each k Hk; try lia; written_out;
      repeat (destruct (Rlt_dec _ _); try lra).
Qed.

Lemma two : exp (ln 2) = 2.
Proof. apply exp_ln. lra. Qed.

Lemma claimed_once odds j k : (j < 2)%nat -> (k < 2)%nat -> j <> k ->
  greatest_before 2 (fun _ => symmetric) one_bit 1 j k odds -> exp (one_bit 1) * odds <= 14 / 5.
Proof.
  apply (tested_claim 2 (fun _ => symmetric) one_bit 1 (7 / 5) (14 / 5));
    auto using symmetric_stochastic, one_bit_nonneg; unfold one_bit.
  - apply tested_once. intros s. rewrite two. lra.
  - rewrite two. lra.
Qed.

Lemma tested_twice : tested 2 (fun _ => symmetric) one_bit 2 0 1 (5 / 3).
Proof.
  exists 1%nat, (fun _ => difference symmetric 0 1 (5 / 3)), (fun _ => 14 / 5), (fun _ => 1).
  repeat split; try lia; try lra; try (intros; lia); try (intros; simpl; lra).
  right. split.
  - intros a b odds. apply claimed_once.
  - unfold Phi, difference, symmetric. written_out; repeat (destruct (Rlt_dec _ _); try lra).
Qed.

Lemma tested_in_two_steps : tested 2 (fun _ => symmetric) one_bit 2 0 1 (5 / 3).
Proof.
  pose proof two as He.
  exists 0%nat, (fun s => if Nat.eqb s 1 then difference symmetric 0 1 (5 / 3)
    else vector [1 / 4, - 1 / 2]), (fun _ => 2), (fun _ => 1). unfold one_bit.
  repeat split; try lia; try lra; try (intros; lia); try (intros; simpl; lra).
  - intros s a Hs Ha. assert (s = 0%nat) as -> by lia. simpl. unfold back, Phi, difference,
      symmetric. each a Ha; written_out; repeat (destruct (Rlt_dec _ _); try lra).
  - right. split; [intros a b odds _ _ _ H; simpl in H; subst odds; lra|].
    unfold Phi. written_out. repeat (destruct (Rlt_dec _ _); try lra).
Qed.

Lemma some_odds t : exists odds, greatest_before 2 (fun _ => symmetric) one_bit t 0 1 odds.
Proof.
  destruct (greatest_before_exists 2 (fun _ => symmetric) one_bit t 0 1) as [odds [_ H]];
    auto using symmetric_stochastic, one_bit_nonneg.
  exists odds. exact H.
Qed.

Example instance_tested_claim : exists odds, greatest_before 2 (fun _ => symmetric) one_bit 1 0 1
  odds /\ exp (one_bit 1) * odds <= 14 / 5.
Proof.
  destruct (some_odds 1) as [odds H]. exists odds. split; [exact H|].
  refine (tested_claim 2 (fun _ => symmetric) one_bit 1 (7 / 5) (14 / 5) (fun _ =>
    symmetric_stochastic) one_bit_nonneg _ _ 0 1 odds _ _ _ H); try lia; unfold one_bit.
  - apply tested_once. intros s. rewrite two. lra.
  - rewrite two. lra.
Qed.

Example instance_tested_bound : exists odds, greatest_before 2 (fun _ => symmetric) one_bit 2 0 1
  odds /\ odds <= 5 / 3.
Proof.
  destruct (some_odds 2) as [odds H]. exists odds. split; [exact H|].
  refine (tested_bound 2 (fun _ => symmetric) one_bit 2 0 1 (5 / 3) odds (fun _ =>
    symmetric_stochastic) one_bit_nonneg _ _ _ tested_twice H); lia.
Qed.

Example instance_more_releases : exists odds odds', odds <= odds' /\
  greatest_before 2 (fun _ => symmetric) (fun _ => ln 2) 1 0 1 odds /\
  greatest_before 2 (fun _ => symmetric) (fun _ => ln 2) 2 0 1 odds'.
Proof.
  destruct (some_odds 1) as [x Hx]. destruct (some_odds 2) as [y Hy]. exists x, y.
  split; [|split; [exact Hx|exact Hy]].
  apply (more_releases 2 symmetric (ln 2) 1 0 1); auto using symmetric_stochastic; try lia.
  apply ln_0. lra.
Qed.

Example instance_tested_TPL : stream_leaks_at_most 2 symmetric_chain 2 equal_values 1
  (ln (98 / 25)).
Proof.
  assert (He : exp (ln 2) = 2) by (apply exp_ln; lra).
  apply (tested_TPL 2 symmetric_chain (fun _ => symmetric) one_bit); try lia;
    auto using symmetric_valid, symmetric_bayes, one_bit_nonneg, equal_values_private.
  - intros j k Hj Hk Hjk. exists (7 / 5), (7 / 5). split; [|split].
    + apply tested_once; auto. intros s. unfold one_bit. rewrite He. lra.
    + apply (tested_once (turned 2 one_bit)); auto. intros s. unfold turned, one_bit. rewrite He.
      lra.
    + unfold one_bit. rewrite He, exp_ln by lra. lra.
  - apply ln_0. lra.
Qed.

(** Without budgets nothing is told. *)
Example instance_silent_test : tested 2 (fun _ => symmetric) (fun _ => 0) 1 0 1 1.
Proof.
  apply silent_test; auto using symmetric_stochastic.
  exists 0%nat, (fun _ a => symmetric 0 a - symmetric 1 a). repeat split; auto; intros; lia.
Qed.

(** At 3 no entry is above 0, and the check is over before the release at time 0: this one may tell
    its value. *)
Definition first_value (l : path) (o : nat) : R := if Nat.eqb (l 0%nat) o then 1 else 0.

Lemma tested_at_once eps j k : (j < 2)%nat -> (k < 2)%nat -> j <> k ->
  tested 2 (fun _ => symmetric) eps 1 j k 3.
Proof.
  intros Hj Hk Hjk.
  exists 0%nat, (fun _ => difference symmetric j k 3), (fun _ => 1), (fun _ => 1).
  repeat split; try lia; try lra; try (intros; lia); try (intros; simpl; lra).
  left. intros a Ha. unfold difference, symmetric. each a Ha; each j Hj; each k Hk; try lia;
    written_out; lra.
Qed.

Example instance_tested_infinite : stream_leaks_at_most 2 symmetric_chain 2 first_value 1 (ln 18).
Proof.
  apply (tested_infinite 2 symmetric_chain (fun _ => symmetric) one_bit (fun s => Nat.eqb s 0));
    try lia; auto using symmetric_valid, symmetric_bayes, one_bit_nonneg.
  - intros o l s a Hl Hs Ha. unfold first_value. split; [destruct (Nat.eqb _ o); lra|].
    intros H. rewrite then_at_other by (destruct s; [discriminate|lia]).
    pose proof (exp_ratio _ (one_bit_nonneg s)). destruct (Nat.eqb _ o); lra.
  - intros eps j k He Hj Hk Hjk. exists 3, 3.
    split; [|split]; try (apply tested_at_once; assumption).
    rewrite exp_ln by lra. destruct (He 1%nat) as [_ ->]; [|reflexivity]. unfold one_bit.
    rewrite two. lra.
  - apply ln_0. lra.
Qed.

(** The same in doubles of which 1024 is the precision, for x = 1/2: no operation happens to round,
    and what is added for roundings leaves W below 0. *)
Lemma not_rounded y : rounded (/ 1024) y y.
Proof.
  unfold rounded. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
  apply Rmult_le_pos; [lra|apply Rabs_pos].
Qed.

Definition start (p q x : R) : R := 5 * / 1024 * (Rabs (p - q) + 3 * / 1024 + x * q) +
  2 * / 1024 * q + (p - q - x * q).

Lemma started_so p q x : 0 <= x * q -> started (/ 1024) 0 p q x (start p q x).
Proof.
  intros H. unfold start. do 9 eexists. repeat (split; [apply not_rounded|]). split; [exact H|].
  split; [|repeat (split; [apply not_rounded|]); apply not_rounded].
  rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Lemma summed_so f : added_above 2 (/ 1024) f (fun _ => 1)
  (f 0%nat * 1 + f 1%nat * 1 + (INR 2 + 6) * / 1024 * (Rabs (f 0%nat) * 1 + Rabs (f 1%nat) * 1)).
Proof.
  assert (A : forall a b, added_up (/ 1024) [a, b] (a + b)).
  { intros a b. apply (added_both _ [a] [b] a b); try apply added_one; apply not_rounded. }
  do 3 eexists. split; [apply A|]. split; [apply A|]. split; [|apply not_rounded].
  rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. pose proof (Rabs_pos (f 0%nat)).
  pose proof (Rabs_pos (f 1%nat)). lra.
Qed.

Lemma doubles_once : tested_in_doubles 2 (/ 1024) 0 (fun _ => symmetric) (fun _ => symmetric)
  one_bit 1 0 1 (1 / 2).
Proof.
  set (up := fun a => start (symmetric 0 a) (symmetric 1 a) (1 / 2)).
  set (f := vector [up 0%nat + up 0%nat, up 1%nat]).
  assert (U : 0 < up 0%nat <= 2 / 5 /\ up 1%nat <= - 6 / 7).
  { unfold up, start, symmetric. written_out. rewrite (Rabs_pos_eq (3 / 4 - 1 / 4)),
      (Rabs_left (1 / 4 - 3 / 4)) by lra. lra. }
  exists 0%nat, (fun _ => up), (fun _ => f), (fun _ => 1), (fun _ => 1). unfold one_bit.
  split; [lia|]. split; [intros s Hs; lia|]. split.
  { intros a Ha. apply started_so. unfold symmetric. each a Ha; written_out; lra. }
  split; [intros s a Hs; lia|]. split; [intros; lra|]. split; [intros s a Hs; lia|]. right.
  split; [intros a b odds _ _ _ H; simpl in H; subst odds; rewrite two; lra|]. split.
  { intros a Ha. split; [lra|]. each a Ha; unfold f; written_out.
    - right. split; [apply U|]. exists (up 0%nat), (up 0%nat + up 0%nat).
      rewrite Rmult_1_l, Rminus_diag_eq, Rabs_R0 by reflexivity. repeat split; try lra.
      apply not_rounded.
    - left. split; [lra|]. left. reflexivity. }
  eexists. split; [apply summed_so|]. unfold f. written_out. rewrite (Rabs_pos_eq (up 0%nat + _)),
    (Rabs_left (up 1%nat)) by lra. simpl. lra.
Qed.

Lemma few : small 2 (/ 1024).
Proof. unfold small. simpl. split; [lra|]. split; [lra|lia]. Qed.

Example instance_doubles_test : tested 2 (fun _ => symmetric) one_bit 1 0 1 (1 + 1 / 2).
Proof.
  apply (doubles_test 2 (/ 1024) 0 (fun _ => symmetric) (fun _ => symmetric));
    auto using few, symmetric_stochastic, not_rounded, doubles_once; try lra; lia.
Qed.

Example instance_doubles_bound : exists odds, greatest_before 2 (fun _ => symmetric) one_bit 1 0 1
  odds /\ odds <= 1 + 1 / 2.
Proof.
  destruct (some_odds 1) as [odds H]. exists odds. split; [exact H|].
  apply (doubles_bound 2 (/ 1024) 0 (fun _ => symmetric) (fun _ => symmetric) one_bit 1 0 1);
    auto using few, symmetric_stochastic, one_bit_nonneg, not_rounded, doubles_once; try lra; lia.
Qed.

(** L at log 2 by sums: each pair of rows is tested at 0, for both orders, as 3/4 + 3/4 and what is
    added are at most 3/5 + 1. *)
Lemma greater_so q d : 0 <= q -> greater_of (/ 1024) (/ 1024) 0 q d 0 (Rmax q ((1 + 0) * d)).
Proof.
  intros Hq. exists q, d, 0, (1 + 0), ((1 + 0) * d), q, ((1 + 0) * d).
  repeat (split; [apply not_rounded|]). rewrite !Rminus_diag_eq, Rabs_R0 by reflexivity.
  pose proof (Rabs_pos q). pose proof (Rabs_pos ((1 + 0) * d)).
  pose proof (Rmax_l q ((1 + 0) * d)).
  repeat split; lra.
Qed.

Lemma summed_rows : tested_sum 2 (/ 1024) (/ 1024) 0 (symmetric 0) (symmetric 1) 0 (3 / 5).
Proof.
  set (g := fun j => Rmax (symmetric 0 j) ((1 + 0) * symmetric 1 j)).
  assert (G : g 0%nat + g 1%nat <= 3 / 2).
  { unfold g, symmetric, Rmax. written_out. repeat (destruct (Rle_dec _ _)); lra. }
  exists g, (g 0%nat + g 1%nat). do 2 eexists. exists (1 + 0), (3 / 5). do 2 eexists. cbv zeta.
  split; [intros j Hj; apply greater_so; unfold symmetric; each j Hj; written_out; lra|]. split.
  { apply (added_both _ [g 0%nat] [g 1%nat] (g 0%nat) (g 1%nat)); try apply added_one;
      apply not_rounded. }
  split.
  { rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. simpl. lra. }
  repeat (split; [apply not_rounded|]). simpl. lra.
Qed.

Lemma precisely : precise 2 (/ 1024) (/ 1024) 0.
Proof. unfold precise. simpl. repeat split; lra. Qed.

Lemma tested_so : tested_rows 2 (/ 1024) (/ 1024) 0 1 (symmetric 0) (symmetric 1) 0 (3 / 5).
Proof. left. exact summed_rows. Qed.

Example instance_sum_test :
  sum 2 (fun j => positive_part (symmetric 1 j - (1 + 3 / 5) * symmetric 0 j)) <= 3 / 5.
Proof.
  apply (sum_test 2 (/ 1024) (/ 1024) 0 1 (symmetric 1) (symmetric 0) 0);
    auto using precisely, tested_so; try lra; apply symmetric_stochastic; lia.
Qed.

Example instance_sums_loss : gain 2 symmetric 2 <= 1 + 3 / 5.
Proof.
  apply (sums_loss 2 (/ 1024) (/ 1024) 0 1 symmetric 2 (3 / 5) (3 / 5));
    auto using precisely, symmetric_stochastic; try lra.
  intros j k Hj Hk Hjk. right. each j Hj; each k Hk; try lia; auto using tested_so.
Qed.

(** Two releases in eighths, for x = 8/8: only what c and the lines are before the farther release
    is rounded. *)
Definition eighths (a b : nat) : Z := if Nat.eqb a b then 6%Z else 2%Z.

Lemma eighths_symmetric a b : (a < 2)%nat -> (b < 2)%nat -> symmetric a b * 8 = IZR (eighths a b).
Proof. intros Ha Hb. unfold symmetric, eighths. each a Ha; each b Hb; written_out; lra. Qed.

Lemma two_eighths s : (0 <= 8)%Z /\ exp (one_bit s) * 8 <= IZR (8 + 8).
Proof. split; [lia|]. unfold one_bit. rewrite two, plus_IZR. lra. Qed.

Lemma integers_twice : tested_in_integers 2 8 (fun _ => symmetric) one_bit 2 0 1 8.
Proof.
  exists (fun _ => 8%Z), (fun _ => eighths), (fun _ => eighths), (fun s a =>
    match s, a with
    | O, O => 1%Z
    | O, _ => (-6)%Z
    | _, O => 2%Z
    | _, _ => (-10)%Z
    end).
  split; [intros; apply two_eighths|]. split.
  { intros s a b _ Ha Hb. rewrite eighths_symmetric by assumption. lra. }
  split; [intros a Ha; unfold symmetric; each a Ha; written_out; lra|].
  split; [|compute; discriminate].
  intros s a Hs Ha. replace s with 0%nat by lia. each a Ha; reflexivity.
Qed.

(** Tried at 8, the lines end at 0 and 10, and W is at most 0 down to 6. *)
Lemma ends_twice : tested_between_ends 2 8 (fun _ => symmetric) one_bit 2 0 1 6.
Proof.
  exists (fun _ => 8%Z), (fun _ => eighths), (fun _ _ => false), (fun _ => 8%Z), (fun s a =>
    match s, a with
    | O, O => 5%Z
    | O, _ => (-1)%Z
    | _, O => 4%Z
    | _, _ => (-4)%Z
    end), (fun s a =>
    match s, a with
    | O, O => 4%Z
    | O, _ => 5%Z
    | _, O => 2%Z
    | _, _ => 6%Z
    end), (fun _ => 8%Z), (fun _ => 0%Z), (fun s =>
    match s with
    | O => Some 10%Z
    | 1%nat => Some 16%Z
    | _ => None
    end), 8%Z.
  split.
  { split; [intros s _; destruct (two_eighths s); split; [assumption|left; assumption]|].
    intros s a b _ Ha Hb. rewrite eighths_symmetric, Z.add_0_r by assumption. unfold eighths.
    destruct (Nat.eqb b a); split; try lia; lra. }
  split.
  { intros a Ha. unfold symmetric. each a Ha; written_out; (split; [lra|split; [lia|lra]]). }
  split.
  { intros s a Hs Ha. replace s with 0%nat by lia. split; [lia|]. each a Ha; split; reflexivity. }
  split; [lia|]. split; [reflexivity|]. split; [reflexivity|]. split.
  { intros s Hs. split; [|split; [|left; reflexivity]]; each s Hs; reflexivity. }
  split; [reflexivity|]. left. split; [compute; discriminate|reflexivity].
Qed.

Lemma lines_twice : tested_by_lines 2 8 (fun _ => symmetric) one_bit 2 0 1 6.
Proof. apply ends_test; [lia|exact ends_twice]. Qed.

Example instance_ends_test : tested_by_lines 2 8 (fun _ => symmetric) one_bit 2 0 1 6.
Proof. apply (ends_test 2 8); [lia|exact ends_twice]. Qed.

Example instance_integers_test : tested 2 (fun _ => symmetric) one_bit 2 0 1 (1 + 8 / 8) /\
  tested 2 (fun _ => symmetric) one_bit 2 0 1 (1 + 6 / 8).
Proof.
  split; [apply (integers_test 2 8)|apply (lines_test 2 8)];
    auto using symmetric_stochastic, integers_twice, lines_twice; lia.
Qed.

Example instance_integers_bound : exists odds, greatest_before 2 (fun _ => symmetric) one_bit 2 0 1
  odds /\ odds <= 1 + 8 / 8.
Proof.
  destruct (some_odds 2) as [odds H]. exists odds. split; [exact H|].
  apply (integers_bound 2 8 (fun _ => symmetric) one_bit 2 0 1 8);
    auto using symmetric_stochastic, one_bit_nonneg, integers_twice; lia.
Qed.

(** ** What Above.v does not have *)

(** L of the symmetric matrix is one piece. *)
Lemma one_piece : tested_pieces 2 symmetric 0 (fun _ => 0) (fun _ => 3 / 4) (fun _ => 1 / 4).
Proof.
  split; [reflexivity|]. split; [intros; lra|]. split; [|split; [intros; lia|]].
  - intros j k Hj Hk. unfold symmetric, positive_part, Rmax. each j Hj; each k Hk; written_out;
      repeat (destruct (Rle_dec _ _)); lra.
  - intros _ j k Hj Hk. unfold symmetric, positive_part, Rmax. each j Hj; each k Hk; written_out;
      repeat (destruct (Rle_dec _ _)); lra.
Qed.

Example instance_pieces_loss : gain 2 symmetric (1 + 1) <= 1 + 2 / 5.
Proof.
  eapply Rle_trans; [apply (pieces_loss 2 symmetric 0 (fun _ => 0) (fun _ => 3 / 4)
    (fun _ => 1 / 4) 0); auto using symmetric_stochastic, one_piece; try lra; lia|].
  unfold piece. lra.
Qed.

(** 1 + 9/5 is 2 (1 + 2/5). *)
Example instance_BPL_above : exp (BPL 2 (fun _ => symmetric) one_bit 1) <= 1 + 9 / 5.
Proof.
  apply (BPL_above 2 (fun _ => symmetric) one_bit (vector [1, 9 / 5]) (vector [0, 2 / 5]));
    auto using symmetric_stochastic, one_bit_nonneg.
  - simpl. lra.
  - intros s Hs. each s Hs. apply instance_pieces_loss.
  - intros s Hs. unfold one_bit. rewrite two. each s Hs; written_out; lra.
Qed.

Example instance_FPL_above : exp (FPL 2 (fun _ => symmetric) one_bit 0 1) <= 1 + 9 / 5 /\
  exp (FPL 2 (fun _ => symmetric) one_bit 0 1 - one_bit 0) <= 1 + 2 / 5.
Proof.
  apply (FPL_above 2 (fun _ => symmetric) one_bit (vector [9 / 5, 1]) (vector [2 / 5, 0]));
    auto using symmetric_stochastic, one_bit_nonneg.
  - simpl. lra.
  - intros s Hs. replace s with 0%nat by lia. apply instance_pieces_loss.
  - intros s [_ Hs]. unfold one_bit. rewrite two. simpl in Hs. each s Hs; written_out; lra.
Qed.

Example instance_TPL_above : exp (TPL 2 (fun _ => symmetric) (fun _ => symmetric) one_bit 1 0) <=
  (1 + 1) * (1 + 2 / 5).
Proof.
  apply (TPL_above 2 (fun _ => symmetric) (fun _ => symmetric) one_bit (vector [1]) (vector [0])
    (vector [9 / 5, 1]) (vector [2 / 5, 0])); auto using symmetric_stochastic, one_bit_nonneg;
    try (simpl; lra); try (intros; lia).
  - intros s Hs. unfold one_bit. rewrite two. each s Hs; written_out; lra.
  - intros s Hs. replace s with 0%nat by lia. apply instance_pieces_loss.
  - intros s [_ Hs]. unfold one_bit. rewrite two. each s Hs; written_out; lra.
Qed.

(** With e^e = 2 no ratio is ever above 2, nor what all releases do to the odds above 4: one
    release after which all others count as 4 shows it. *)
Lemma ever j k : (j < 2)%nat -> (k < 2)%nat -> j <> k ->
  tested_for_ever 2 (fun _ => symmetric) (ln 2) (fun _ _ => 4) j k 2.
Proof.
  intros Hj Hk Hjk.
  exists 0%nat, (fun _ => difference symmetric j k 2), 2, (fun _ => 1), (fun _ => 4).
  rewrite two. split; [auto using symmetric_stochastic|]. repeat (split; [intros; lia || lra|]).
  unfold difference, symmetric. each j Hj; each k Hk; try lia; written_out;
    repeat (destruct (Rlt_dec _ _)); lra.
Qed.

Example instance_for_ever_bound t : exists odds, greatest_before 2 (fun _ => symmetric)
  (fun _ => ln 2) t 0 1 odds /\ odds <= 2.
Proof.
  destruct (some_odds t) as [odds H]. exists odds. split; [exact H|].
  refine (for_ever_bound 2 (fun _ => symmetric) (ln 2) (fun _ _ => 4) (fun _ _ => 2) (fun _ =>
    symmetric_stochastic) (one_bit_nonneg 0) _ _ t 0 1 odds _ _ _ H); try lia.
  - intros. rewrite two. lra.
  - intros s j k Hj Hk Hjk. exists (fun _ => symmetric). auto using ever.
Qed.

Example instance_supremum_above : stream_leaks_at_most 2 symmetric_chain 2 equal_values 1 (ln 8).
Proof.
  refine (supremum_above 2 symmetric_chain (fun _ => symmetric) (ln 2) 2 equal_values 1 (ln 8)
    (fun _ _ => 4) (fun _ _ => 4) (fun _ _ => 2) (fun _ _ => 2) symmetric_valid symmetric_bayes
    (one_bit_nonneg 0) (equal_values_private 2) _ _ _ _); try lia.
  - intros. rewrite two, exp_ln; lra.
  - intros s j k Hj Hk Hjk. split; exists (fun _ => symmetric); auto using ever.
  - apply ln_0. lra.
Qed.

(** Two values and one release: the multiplier 2/5 proves the ratio 7/5, with nothing left. *)
Example instance_multipliers_bound :
  dot 2 (symmetric 0) (vector [2, 1]) <= (7 / 5 + 2 * 0) * dot 2 (symmetric 1) (vector [2, 1]).
Proof.
  eapply Rle_trans; [apply (multipliers_bound 2 (symmetric 0) (symmetric 1) (vector [2, 1])
    (matrix [[0, 2 / 5], [0, 0]]) (fun _ _ => 2) (7 / 5) 2)|].
  - apply symmetric_stochastic. lia.
  - intros y Hy. each y Hy; written_out; lra.
  - lra.
  - intros y y' Hy Hy'. each y Hy; each y' Hy'; written_out; lra.
  - right. f_equal. f_equal. f_equal. unfold symmetric, positive_part. written_out.
    rewrite !Rmax_left by lra. lra.
Qed.
