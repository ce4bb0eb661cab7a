(** The verified checker on correlations: one matrix for all steps, one for each, or some that
    repeat. *)

From TPL Require Export CheckLoss.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** A correlation over so many steps, and the matrix of each; no matrices where it is not known. *)
Definition no_matrix : distributions := {| given := []; units := []; common := 1 |}.
Definition read_matrices (l : list json) : result (list distributions) :=
  let! Ms := each read_matrix l in
  let n := List.length (given (nth 0 Ms no_matrix)) in
  let! _ := require (forallb (fun M => Nat.eqb (List.length (given M)) n) Ms)
    "the matrices differ in size" in
  Done Ms.
Definition read_steps (count : nat) (j : json) : result (correlation * list distributions) :=
  match j with
  | Null => Done (Constant [], [])
  | Fields [(key, listed)] =>
      if String.eqb key "cycle" then
        let! l := inside ".cycle" (some_items most_steps listed) in
        let! Ms := inside ".cycle" (read_matrices l) in
        Done (Cycle (map given Ms),
          map (fun s => nth (s mod List.length Ms) Ms no_matrix) (seq 0 count))
      else
        let! _ := require (String.eqb key "steps") "steps or a cycle are expected" in
        let! l := inside ".steps" (items_exactly count listed) in
        let! Ms := inside ".steps" (read_matrices l) in
        Done (Steps (map given Ms), Ms)
  | _ => let! M := read_matrix j in Done (Constant (given M), repeat M count)
  end.
Definition read_side_steps (count : nat) (j : json) : result (correlation * list distributions) :=
  let! (k, Ms) := read_steps count j in
  Done (k, if Nat.eqb (values_in k) 0 then [] else Ms).

Definition is_one (k : correlation) : bool := match k with Constant _ => true | _ => false end.
Definition same_values (B F : correlation) : bool :=
  Nat.eqb (values_in B) 0 || Nat.eqb (values_in F) 0 || Nat.eqb (values_in B) (values_in F).

Definition values_of_both (B F : correlation) : nat := Nat.max (values_in B) (values_in F).

(** ** Soundness *)

Open Scope R_scope.

Lemma each_from_length {A} at_item (f : json -> result A) l found : each_from at_item f l = Done
  found -> List.length found = List.length l.
Proof.
  revert at_item found. induction l as [|j l IH]; intros at_item found H; cbn [each_from] in H.
  - injection H as <-. reflexivity.
  - destruct (f j); simpl in H; try discriminate. step H. injection H as <-. simpl. f_equal.
    eapply IH. eassumption.
Qed.

Lemma nth_repeat_lt {A} (x d : A) n a : (a < n)%nat -> nth a (repeat x n) d = x.
Proof. revert a. induction n as [|n IH]; intros [|a] H; simpl; try lia; [reflexivity|]. apply IH.
  lia. Qed.

Lemma read_matrices_sound l Ms : read_matrices l = Done Ms ->
  forall i, (i < List.length Ms)%nat ->
  List.length (given (nth i Ms no_matrix)) = List.length (given (nth 0 Ms no_matrix)) /\
  well_formed (List.length (given (nth 0 Ms no_matrix))) (nth i Ms no_matrix).
Proof.
  unfold read_matrices. intros H. step H. injection H as <-. clean. intros i Hi.
  assert (Hin : In (nth i a no_matrix) a) by (apply nth_In; assumption).
  match goal with E : forallb _ _ = true |- _ => rewrite forallb_forall in E;
    specialize (E _ Hin); apply Nat.eqb_eq in E; split; [exact E|rewrite <- E] end.
  match goal with E : each read_matrix _ = Done _ |- _ => clear - E Hin; unfold each in E;
    revert E Hin; generalize 1%nat; generalize (nth i a no_matrix) end.
  revert a. induction l as [|j l IH]; intros a M at_item E Hin; cbn [each_from] in E.
  - injection E as <-. destruct Hin.
  - destruct (read_matrix j) as [x| |] eqn:Ex; cbn in E; try discriminate.
    apply bind_done in E. destruct E as [rest [Hrest E]]. injection E as <-.
    destruct Hin as [<-|Hin]; [apply (read_matrix_sound j x Ex)|eapply IH; eassumption].
Qed.

Definition steps_are (k : correlation) (n : nat) (Ms : list distributions) (t count : nat) :
  Prop :=
  if Nat.eqb (values_in k) 0 then Ms = []
  else values_in k = n /\ List.length Ms = count /\ forall i, (i < count)%nat ->
    List.length (given (nth i Ms no_matrix)) = n /\ well_formed n (nth i Ms no_matrix) /\
    given (nth i Ms no_matrix) = at_step k (t + i).

Lemma steps_are_later k n Ms t count : steps_are k n Ms t (S count) ->
  steps_are k n (tl Ms) (S t) count.
Proof.
  unfold steps_are. destruct (Nat.eqb (values_in k) 0); [intros ->; reflexivity|].
  intros [E [L H]]. destruct Ms as [|M Ms]; [discriminate|]. cbn [tl].
  split; [assumption|]. split; [cbn in L; lia|]. intros i Hi. specialize (H (S i) ltac:(lia)).
  cbn [nth] in H. replace (S t + i)%nat with (t + S i)%nat by lia. exact H.
Qed.

Lemma read_side_steps_sound count j k Ms : read_side_steps count j = Done (k, Ms) ->
  steps_are k (values_in k) Ms 0 count.
Proof.
  unfold read_side_steps. intros H. apply bind_done in H. destruct H as [[k' all] [H E]].
  injection E as <- <-. unfold steps_are. destruct (Nat.eqb_spec (values_in k') 0) as [Z|N];
    [reflexivity|]. split; [reflexivity|]. cbn [plus].
  assert (Hone : forall j, (let! M := read_matrix j in Done (Constant (given M), repeat M count)) =
    Done (k', all) -> List.length all = count /\ forall i, (i < count)%nat ->
    List.length (given (nth i all no_matrix)) = values_in k' /\
    well_formed (values_in k') (nth i all no_matrix) /\
    given (nth i all no_matrix) = at_step k' i).
  { clear H. intros j' H. apply bind_done in H. destruct H as [M [HM H]]. injection H as <- <-.
    split; [apply repeat_length|]. intros i Hi. rewrite nth_repeat_lt by assumption.
    unfold values_in. cbn [at_step]. split; [reflexivity|]. split; [|reflexivity].
    apply (read_matrix_sound j' M HM). }
  unfold read_steps in H.
  destruct j as [| | |[|[key listed] [|? ?]]| |]; try (apply (Hone _ H)).
  - destruct (String.eqb key "cycle").
    + apply bind_done in H. destruct H as [l [_ H]]. apply bind_done in H.
      destruct H as [found [Hf H]]. apply inside_done in Hf. injection H as <- <-.
      pose proof (read_matrices_sound l found Hf) as Hall. unfold values_in in N |- *.
      cbn [at_step] in *.
      destruct (Nat.eq_dec (List.length found) 0) as [L0|L0].
      { apply length_zero_iff_nil in L0. subst found. contradiction N. reflexivity. }
      assert (Hmod : forall i, (i mod List.length found < List.length found)%nat)
        by (intros; apply Nat.mod_upper_bound; assumption).
      assert (Hgiven : forall i, nth i (map given found) [] = given (nth i found no_matrix)).
      { intros i. change (@nil (list rational)) with (given no_matrix). apply map_nth. }
      rewrite !map_length, seq_length, Hgiven, Nat.mod_0_l by assumption.
      split; [reflexivity|]. intros i Hi.
      rewrite (nth_indep _ _ ((fun s => nth (s mod List.length found) found no_matrix) 0%nat))
        by (rewrite map_length, seq_length; assumption).
      rewrite (map_nth (fun s => nth (s mod List.length found) found no_matrix)), seq_nth
        by assumption. cbn [plus]. rewrite Hgiven.
      destruct (Hall _ (Hmod i)) as [H1 H2]. auto.
    + apply bind_done in H. destruct H as [? [_ H]]. apply bind_done in H.
      destruct H as [l [Hl H]]. apply bind_done in H. destruct H as [found [Hf H]].
      apply inside_done in Hf, Hl. injection H as <- <-.
      pose proof (read_matrices_sound l found Hf) as Hall.
      assert (Hgiven : forall i, nth i (map given found) [] = given (nth i found no_matrix)).
      { intros i. change (@nil (list rational)) with (given no_matrix). apply map_nth. }
      assert (L : List.length found = count).
      { unfold read_matrices in Hf. step Hf. injection Hf as <-.
        match goal with E : each read_matrix l = Done _ |- _ => apply each_from_length in E;
          rewrite E end.
        unfold items_exactly in Hl. step Hl. injection Hl as <-. clean. apply Nat.eqb_eq.
        assumption. }
      split; [assumption|]. unfold values_in. cbn [at_step]. intros i Hi. rewrite !Hgiven.
      destruct (Hall i ltac:(lia)). auto.
  - injection H as <- <-. contradiction N. reflexivity.
Qed.
