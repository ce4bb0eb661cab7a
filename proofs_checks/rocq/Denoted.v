(** What a document states is the claim that is checked and printed: its fields are written forms
    of what stands in the claim, and what is printed of a number or a level is read as that number
    or level again. *)

From TPL Require Export Printed.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** What a document states *)

Definition has (document : json) (key : string) (value : json) : Prop :=
  match document with Fields l => In (key, value) l | _ => False end.
Definition at_key {A : Type} (document : json) (key : string) (writes : json -> A -> Prop) (a :
  A) : Prop :=
  exists j, has document key j /\ writes j a.

Definition writes_number (j : json) (x : rational) : Prop := exists s, j = Text s /\
  number_of most_length s = Done x.
Definition writes_level (j : json) (l : written_level) : Prop := exists s, j = Text s /\
  level_of s = Done l.
Definition writes_list {A : Type} (writes : json -> A -> Prop) (j : json) (l : list A) : Prop :=
  exists items, j = Items items /\ Forall2 writes items l.
Definition writes_matrix : json -> list (list rational) -> Prop :=
  writes_list (writes_list writes_number).
Definition writes_correlation (j : json) (rows : list (list rational)) : Prop := j = Null /\
  rows = [] \/ writes_matrix j rows.
Definition writes_steps (j : json) (k : correlation) : Prop :=
  match k with
  | Constant P => writes_correlation j P
  | Steps Ps => exists key l, j = Fields [(key, l)] /\ key = "steps" /\
      writes_list writes_matrix l Ps
  | Cycle Ps => exists key l, j = Fields [(key, l)] /\ key = "cycle" /\
      writes_list writes_matrix l Ps
  end.
Definition writes_bounds (j : json) (bounds : written_level * written_level) : Prop :=
  at_key j "lower" writes_level (fst bounds) /\ at_key j "upper" writes_level (snd bounds).
Definition writes_piece (j : json) (p : written_piece) : Prop :=
  at_key j "q" writes_number (fst (fst p)) /\ at_key j "d" writes_number (snd (fst p)) /\
  at_key j "from" writes_level (fst (snd p)) /\ at_key j "to" writes_level (snd (snd p)).
Definition writes_step (j : json)
  (s : (written_level * written_level) * (written_level * written_level) * (written_level *
    written_level)) : Prop :=
  at_key j "loss" writes_bounds (fst (fst s)) /\ at_key j "bounds" writes_bounds (snd (fst s)) /\
  at_key j "level" writes_bounds (snd s).

Definition writes_chain (j : json) (c : written_chain) : Prop :=
  at_key j "stationary" (writes_list writes_number) (fst c) /\
  at_key j "backward" writes_matrix (fst (snd c)) /\ at_key j "forward" writes_matrix (snd (snd
    c)).

(** Times and values are counted from 1 in documents, from 0 in claims. *)
Definition writes_index (j : json) (k : nat) : Prop := j = Integer (Z.of_nat k + 1).
Definition writes_count (j : json) (count : nat) : Prop := j = Integer (Z.of_nat count).
Definition writes_time (j : json) (t : option nat) : Prop := match t with Some k =>
  writes_index j k | None => j = Null end.
Definition writes_pair (j : json) (two : nat * nat) : Prop :=
  exists a b, j = Items [a; b] /\ writes_index a (fst two) /\ writes_index b (snd two).
Definition writes_set (n : nat) (j : json) (listed : list bool) : Prop :=
  exists columns, j = Items (map Integer columns) /\ List.length listed = n /\
  forall a, (a < n)%nat -> (nth a listed false = true <-> In (Z.of_nat a + 1) columns).
Definition writes_solution (j : json) (lambda : option rational) : Prop :=
  match lambda with Some x => at_key j "lambda" writes_number x | None => j = Null end.

(** The document states the claim: its kind, and each part of the claim under its key. *)
Definition denotes (document : json) (c : claim) : Prop :=
  let kind name := has document "certificate" (Text name) in
  let the {A} (writes : json -> A -> Prop) key := at_key document key writes in
  match c with
  | Lfp_optimum q d alpha value solved =>
      kind "lfp-optimum" /\ the (writes_list writes_number) "q" q /\
        the (writes_list writes_number) "d" d /\
      the writes_level "alpha" alpha /\ the writes_bounds "value" value /\
        the writes_solution "dual" solved
  | Loss_function P pieces => kind "loss-function" /\ the writes_matrix "matrix" P /\
    the (writes_list writes_piece) "pieces" pieces
  | Loss P alpha value decimals =>
      kind "loss" /\ the writes_matrix "matrix" P /\ the writes_level "alpha" alpha /\
        the writes_bounds "loss" value /\
      the writes_bounds "level" decimals
  | Bounded P epsilon bound decimals =>
      kind "bounded" /\ the writes_matrix "matrix" P /\ the writes_level "epsilon" epsilon /\
        the writes_level "bound" bound /\
      the writes_level "level" decimals
  | Bounded_below P epsilon bound decimals =>
      kind "bounded-below" /\ the writes_matrix "matrix" P /\ the writes_level "epsilon" epsilon /\
        the writes_level "bound" bound /\
      the writes_level "level" decimals
  | Divergent P epsilon => kind "divergent" /\ the writes_matrix "matrix" P /\
    the writes_level "epsilon" epsilon
  | Leakage B F epsilons bpl fpl tpl =>
      kind "leakage" /\ the writes_steps "backward" B /\ the writes_steps "forward" F /\
      the (writes_list writes_level) "epsilons" epsilons /\ the (writes_list writes_step) "bpl" bpl
        /\
      the (writes_list writes_step) "fpl" fpl /\ the (writes_list writes_bounds) "tpl" tpl
  | Tight_upper B F epsilons time level =>
      kind "worst-case-upper" /\ the writes_steps "backward" B /\ the writes_steps "forward" F /\
      the (writes_list writes_level) "epsilons" epsilons /\ the writes_time "time" time /\
        the writes_level "level" level
  | Tight_forever B F epsilon level =>
      kind "worst-case-forever" /\ the writes_correlation "backward" B /\ the writes_correlation
        "forward" F /\
      the writes_level "epsilon" epsilon /\ the writes_level "level" level
  | Tight_lower B F epsilons time j k level =>
      kind "worst-case-lower" /\ the writes_steps "backward" B /\ the writes_steps "forward" F /\
      the (writes_list writes_level) "epsilons" epsilons /\ the writes_index "time" time /\
        the writes_pair "rows" (j, k) /\
      the writes_level "level" level
  | Tight_divergent P epsilon sets =>
      kind "worst-case-divergent" /\ the writes_matrix "matrix" P /\
      the writes_level "epsilon" epsilon
        /\
      the (writes_list (writes_set (List.length P))) "sets" sets
  | Mixture_upper prior chains epsilons time level =>
      kind "mixture-upper" /\ the (writes_list writes_number) "prior" prior /\
      the (writes_list writes_chain) "chains" chains /\
      the (writes_list writes_level) "epsilons" epsilons /\ the writes_index "time" time /\
      the writes_level "level" level
  | Mixture_lower prior chains epsilons time j k level =>
      kind "mixture-lower" /\ the (writes_list writes_number) "prior" prior /\
      the (writes_list writes_chain) "chains" chains /\
      the (writes_list writes_level) "epsilons" epsilons /\ the writes_index "time" time /\
      the writes_pair "rows" (j, k) /\ the writes_level "level" level
  | Profile_upper P epsilon own releases alpha delta =>
      kind "profile-upper" /\ the writes_matrix "matrix" P /\ the writes_level "epsilon" epsilon /\
      the writes_number "delta_per_release" own /\ the writes_count "releases" releases /\
      the writes_level "alpha" alpha /\ the writes_number "delta" delta
  | Profile_lower P epsilon own releases j k alpha delta =>
      kind "profile-lower" /\ the writes_matrix "matrix" P /\ the writes_level "epsilon" epsilon /\
      the writes_number "delta_per_release" own /\ the writes_count "releases" releases /\
      the writes_pair "rows" (j, k) /\ the writes_level "alpha" alpha /\
      the writes_number "delta" delta
  end.

(** ** What is read *)

Lemma field_in key l j : field key l = Done j -> In (key, j) l.
Proof.
  induction l as [|[k v] l IH]; cbn [field]; [discriminate|]. destruct (String.eqb_spec k key)
    as [->|]; intros H.
  - injection H as ->. left. reflexivity.
  - right. auto.
Qed.

Lemma fields_read keys document values : fields keys document = Done values ->
  Forall2 (has document) keys values.
Proof.
  unfold fields. destruct document as [| | |l| |]; try discriminate. intros H.
    apply bind_done in H. destruct H as [_ [_ H]].
  revert values H. induction keys as [|k keys IH]; intros values H; [injection H as <-;
    constructor|].
  apply bind_done in H. destruct H as [j [Hj H]]. apply bind_done in H.
    destruct H as [others [Ho H]]. injection H as <-.
  constructor; [apply field_in; assumption|apply IH; assumption].
Qed.

Lemma each_read {A} (f : json -> result A) (writes : json -> A -> Prop) at_item l found :
  (forall j a, f j = Done a -> writes j a) -> each_from at_item f l = Done found ->
    Forall2 writes l found.
Proof.
  intros Hf. revert at_item found. induction l as [|j l IH]; intros at_item found H;
    cbn [each_from] in H.
  - injection H as <-. constructor.
  - destruct (f j) as [a| |] eqn:E; try (cbn in H; discriminate).
    apply bind_done in H. destruct H as [others [Ho H]]. injection H as <-. constructor; [auto|].
      eapply IH. eassumption.
Qed.

Lemma number_read j x : number j = Done x -> writes_number j x.
Proof.
  unfold number. intros H. apply bind_done in H. destruct H as [s [Hs H]]. exists s.
    split; [|assumption].
  destruct j; try discriminate. cbn in Hs. destruct (_ <? _); [discriminate|]. injection Hs as ->.
    reflexivity.
Qed.

Lemma level_read bits j l e : read_level bits j = Done (l, e) -> writes_level j l.
Proof.
  unfold read_level. intros H. apply bind_done in H. destruct H as [l' [Hl H]].
    apply bind_done in H. destruct H as [e' [_ H]].
  injection H as -> ->. unfold written in Hl. apply bind_done in Hl. destruct Hl as [s [Hs Hl]].
    exists s. split; [|assumption].
  destruct j; try discriminate. cbn in Hs. destruct (_ <? _); [discriminate|]. injection Hs as ->.
    reflexivity.
Qed.

Lemma levels_read bits at_item l found : each_from at_item (read_level bits) l = Done found ->
  Forall2 writes_level l (map fst found).
Proof.
  intros H. pose proof (each_read (read_level bits) (fun j p => writes_level j (fst p)) at_item l
    found
    (fun j p E => level_read bits j (fst p) (snd p) ltac:(destruct p; exact E)) H) as F. clear H.
  induction F; constructor; auto.
Qed.

Lemma items_read j l : items j = Done l -> j = Items l.
Proof. destruct j; try discriminate. cbn. intros H. injection H as ->. reflexivity. Qed.

Lemma some_items_read most j l : some_items most j = Done l -> j = Items l.
Proof.
  unfold some_items. intros H. apply bind_done in H. destruct H as [l' [E H]].
    apply bind_done in H. destruct H as [? [_ H]].
  apply bind_done in H. destruct H as [? [_ H]]. injection H as ->. apply items_read. assumption.
Qed.

Lemma items_exactly_read n j l : items_exactly n j = Done l -> j = Items l.
Proof.
  unfold items_exactly. intros H. apply bind_done in H. destruct H as [l' [E H]].
    apply bind_done in H. destruct H as [? [_ H]].
  injection H as ->. apply items_read. assumption.
Qed.

Lemma matrix_read j M : read_matrix j = Done M -> writes_matrix j (given M).
Proof.
  unfold read_matrix. intros H. apply bind_done in H. destruct H as [rows [Hr H]].
    apply bind_done in H. destruct H as [? [_ H]].
  apply over_one_sound in H. destruct H as [-> _]. unfold matrix in Hr. apply bind_done in Hr.
    destruct Hr as [l [Hl Hr]].
  apply some_items_read in Hl. subst j. exists l. split; [reflexivity|]. eapply each_read;
    [|exact Hr].
  intros row entries E. apply bind_done in E. destruct E as [r [E1 E2]].
    apply items_exactly_read in E1. subst row.
  exists r. split; [reflexivity|]. eapply each_read; [|exact E2]. apply number_read.
Qed.

Lemma correlation_read j M : read_correlation j = Done M -> writes_correlation j (given M).
Proof.
  unfold read_correlation. destruct j; intros H; try (right; apply matrix_read; assumption).
  left. injection H as <-. split; reflexivity.
Qed.

Lemma known_read backward forward B F : read_known backward forward = Done (B, F) ->
  writes_correlation backward (given B) /\ writes_correlation forward (given F).
Proof.
  unfold read_known. intros H. apply bind_done in H. destruct H as [B' [HB H]].
    apply bind_done in H. destruct H as [F' [HF H]].
  apply bind_done in H. destruct H as [? [_ H]]. injection H as -> ->. apply inside_done in HB, HF.
  split; apply correlation_read; assumption.
Qed.

Lemma matrices_read l Ms : read_matrices l = Done Ms ->
  Forall2 writes_matrix l (map given Ms).
Proof.
  unfold read_matrices. intros H. apply bind_done in H. destruct H as [all [E H]].
  apply bind_done in H. destruct H as [? [_ H]]. injection H as <-.
  pose proof (each_read read_matrix (fun j M => writes_matrix j (given M)) _ _ _ matrix_read E)
    as F. clear - F. induction F; constructor; auto.
Qed.

Lemma side_steps_read count j k Ms : read_side_steps count j = Done (k, Ms) -> writes_steps j k.
Proof.
  unfold read_side_steps. intros H. apply bind_done in H. destruct H as [[k' all] [H E]].
  injection E as -> _.
  assert (Hone : forall j, (let! M := read_matrix j in Done (Constant (given M), repeat M count)) =
    Done (k, all) -> writes_steps j k).
  { intros j' H'. apply bind_done in H'. destruct H' as [M [HM H']]. injection H' as <- _.
    right. apply matrix_read. assumption. }
  unfold read_steps in H.
  destruct j as [| | |[|[key listed] [|? ?]]| |]; try (apply (Hone _ H)).
  - destruct (String.eqb_spec key "cycle") as [->|_].
    + apply bind_done in H. destruct H as [l [Hl H]]. apply bind_done in H.
      destruct H as [found [Hf H]]. injection H as <- _. apply inside_done in Hl, Hf.
      apply some_items_read in Hl. subst listed. apply matrices_read in Hf.
      eexists _, _. split; [reflexivity|]. split; [reflexivity|]. eexists. split; [reflexivity|].
      assumption.
    + apply bind_done in H. destruct H as [? [Hk H]]. apply require_done, String.eqb_eq in Hk.
      subst key. apply bind_done in H. destruct H as [l [Hl H]]. apply bind_done in H.
      destruct H as [found [Hf H]]. injection H as <- _. apply inside_done in Hl, Hf.
      apply items_exactly_read in Hl. subst listed. apply matrices_read in Hf.
      eexists _, _. split; [reflexivity|]. split; [reflexivity|]. eexists. split; [reflexivity|].
      assumption.
  - injection H as <- _. left. split; reflexivity.
Qed.

(** What two keys of an object have, when its fields are read. *)
Ltac has_keys H := apply fields_read in H; repeat match goal with
  | K : Forall2 _ (_ :: _) _ |- _ => inversion K; clear K; subst
  | K : Forall2 _ [] _ |- _ => inversion K; clear K; subst
  end.

Lemma bounds_read bits j b e : read_bounds bits j = Done (b, e) -> writes_bounds j b.
Proof.
  unfold read_bounds. intros H. apply bind_done in H. destruct H as [l [Hl H]]. has_keys Hl.
  apply bind_done in H. destruct H as [[l1 e1] [E1 H]]. apply bind_done in H.
    destruct H as [[l2 e2] [E2 H]].
  injection H as <- _. apply inside_done in E1, E2. split; eexists;
    (split; [eassumption|eapply level_read; eassumption]).
Qed.

Lemma integer_read least most j z : integer least most j = Done z -> j = Integer z /\
  least <= z <= most.
Proof.
  unfold integer. destruct j; try discriminate. destruct (_ && _) eqn:E; [|discriminate]. intros H.
    injection H as ->.
  apply andb_prop in E. destruct E as [E1 E2]. apply Z.leb_le in E1, E2. auto.
Qed.

Lemma rising_least least l z : rising least l = true -> In z l -> least <= z.
Proof.
  revert least. induction l as [|x l IH]; intros least H Hz; [destruct Hz|]. cbn [rising] in H.
  apply andb_prop in H. destruct H as [H1 H2]. apply Z.leb_le in H1. destruct Hz as [->|Hz];
    [assumption|].
  specialize (IH _ H2 Hz). lia.
Qed.

Lemma mask_read n at_column columns a : rising at_column columns = true -> (a < n)%nat ->
  (nth a (mask n at_column columns) false = true <-> In (at_column + Z.of_nat a) columns).
Proof.
  revert at_column columns a. induction n as [|n IH]; intros at_column columns a H Ha; [lia|].
    cbn [mask].
  destruct columns as [|c columns].
  - destruct a as [|a]; [split; [discriminate|intros []]|]. cbn [nth]. rewrite IH by (auto; lia).
    split; intros [].
  - pose proof H as H'. cbn [rising] in H. apply andb_prop in H. destruct H as [H1 H2].
    apply Z.leb_le in H1.
    destruct (Z.eqb_spec c at_column) as [->|N].
    + destruct a as [|a]; cbn [nth].
      * split; [intros _; left; lia|reflexivity].
      * rewrite IH by (auto; lia). replace (at_column + Z.of_nat (S a))
        with (at_column + 1 + Z.of_nat a) by lia.
        split; [right; assumption|intros [E|E]; [lia|assumption]].
    + assert (Hr : rising (at_column + 1) (c :: columns) = true).
      { cbn [rising]. rewrite H2, andb_true_r. apply Z.leb_le. lia. }
      destruct a as [|a]; cbn [nth].
      * split; [discriminate|]. intros E. apply (rising_least _ _ _ Hr) in E. lia.
      * rewrite IH by (auto; lia). replace (at_column + Z.of_nat (S a))
        with (at_column + 1 + Z.of_nat a) by lia. reflexivity.
Qed.

Lemma shifted_rising least l : rising least l = true -> rising (least - 1) (map (fun z => z - 1) l)
  = true.
Proof.
  revert least. induction l as [|z l IH]; intros least H; [reflexivity|]. cbn [rising map] in *.
  apply andb_prop in H. destruct H as [H1 H2]. apply Z.leb_le in H1. apply andb_true_intro.
    split; [apply Z.leb_le; lia|].
  replace (z - 1 + 1) with (z + 1 - 1) by lia. apply IH. assumption.
Qed.

Lemma set_read n j listed : (let! columns := subset n j in Done (mask n 0 columns)) = Done listed
  -> writes_set n j listed.
Proof.
  intros H. apply bind_done in H. destruct H as [shifted [Hs H]]. injection H as <-.
    unfold subset in Hs.
  apply bind_done in Hs. destruct Hs as [l [Hl Hs]]. apply bind_done in Hs.
    destruct Hs as [? [_ Hs]].
  apply bind_done in Hs. destruct Hs as [columns [Hc Hs]]. apply bind_done in Hs.
    destruct Hs as [? [Hr Hs]].
  apply require_done in Hr. injection Hs as <-. apply items_read in Hl. subst j.
  apply (each_read _ (fun j z => j = Integer z) 1) in Hc; [|intros j z E; apply integer_read in E;
    apply E].
  exists columns. split; [f_equal; clear - Hc; induction Hc; cbn; congruence|].
    split; [apply mask_length|].
  intros a Ha. rewrite mask_read by (assumption || apply (shifted_rising 1); assumption).
    rewrite in_map_iff. split.
  - intros [z [E Hz]]. replace (Z.of_nat a + 1) with z by lia. assumption.
  - intros Hz. exists (Z.of_nat a + 1). split; [lia|assumption].
Qed.

Lemma sets_read n j sets : read_sets n j = Done sets -> writes_list (writes_set n) j sets.
Proof.
  unfold read_sets. intros H. apply bind_done in H. destruct H as [l [Hl H]].
    apply items_read in Hl. subst j.
  exists l. split; [reflexivity|]. eapply each_read; [|exact H]. apply set_read.
Qed.

Lemma part_read M j p : read_part M j = Done p -> writes_piece j (written_of p).
Proof.
  unfold read_part. intros H. apply bind_done in H. destruct H as [l [Hl H]]. has_keys Hl. step H.
  injection H as <-. clean. unfold written_of, writes_piece. cbn.
  repeat split; eexists; (split; [eassumption|]); try (apply number_read; assumption);
    match goal with |- writes_level _ (fst ?f) => destruct f; eapply level_read; eassumption end.
Qed.

Lemma step_read bits M before budget j s : check_step bits M before budget j = Done s ->
  writes_step j (fst s).
Proof.
  unfold check_step. intros H. apply bind_done in H. destruct H as [l [Hl H]]. has_keys Hl. step H.
    injection H as <-.
  repeat match goal with E : inside _ (read_bounds _ _) = Done _ |- _ => apply inside_done,
    bounds_read in E end.
  unfold writes_step. cbn. repeat split; eexists; (split; [eassumption|assumption]).
Qed.

Lemma steps_read bits Ms before budgets l found : check_steps bits Ms before budgets l = Done found
  ->
  Forall2 writes_step l (map fst found).
Proof.
  revert Ms before l found. induction budgets as [|budget budgets IH];
    intros Ms before [|j l] found H; cbn [check_steps] in H; try discriminate.
  - injection H as <-. constructor.
  - apply bind_done in H. destruct H as [one [E H]]. apply bind_done in H.
    destruct H as [others [Eo H]]. injection H as <-.
    constructor; [eapply step_read; eassumption|eapply IH; eassumption].
Qed.

Lemma totals_read bits leakages losses l found : check_totals bits leakages losses l = Done found
  -> Forall2 writes_bounds l found.
Proof.
  revert losses l found. induction leakages as [|a leakages IH]; intros [|b losses] [|j l] found H;
    cbn [check_totals] in H; try discriminate.
  - injection H as <-. constructor.
  - apply bind_done in H. destruct H as [one [E H]]. apply bind_done in H.
    destruct H as [others [Eo H]]. injection H as <-.
    constructor; [|eapply IH; eassumption]. unfold check_total in E. step E. injection E as <-.
      eapply bounds_read. eassumption.
Qed.

Lemma Forall2_reversed {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> Forall2 P (rev l) (rev m).
Proof. induction 1; cbn; [constructor|]. apply Forall2_app; [assumption|].
  constructor; [assumption|constructor]. Qed.

(** ** The theorem *)

Ltac reads := repeat match goal with
  | E : inside _ _ = Done _ |- _ => apply inside_done in E
  | E : read_level _ _ = Done (_, _) |- _ => apply level_read in E
  | E : read_bounds _ _ = Done (_, _) |- _ => apply bounds_read in E
  | E : read_matrix _ = Done _ |- _ => apply matrix_read in E
  | E : number _ = Done _ |- _ => apply number_read in E
  | E : read_known _ _ = Done (_, _) |- _ => apply known_read in E; destruct E
  | E : read_sets _ _ = Done _ |- _ => apply sets_read in E
  | E : items _ = Done _ |- _ => apply items_read in E
  | E : some_items _ _ = Done _ |- _ => apply some_items_read in E
  | E : items_exactly _ _ = Done _ |- _ => apply items_exactly_read in E
  end.

Lemma question_read digit table name level bits M l e : read_question digit table name level = Done
  (bits, M, (l, e)) ->
  writes_matrix table (given M) /\ writes_level level l.
Proof. unfold read_question. intros H. step H. injection H as <- <- ->. reads. split; assumption.
  Qed.

Lemma stream_read digit epsilons backward forward bits budgets B F :
  read_stream digit epsilons backward forward = Done (bits, budgets, (B, F)) ->
  writes_list writes_level epsilons (map fst budgets) /\ writes_steps backward (fst B) /\
    writes_steps forward (fst F).
Proof.
  unfold read_stream. intros H. step H. injection H as <- <- <- <-. reads. subst epsilons.
  repeat match goal with E : read_side_steps _ _ = Done ?p |- _ => destruct p as [? ?];
    apply side_steps_read in E end. cbn [fst].
    split; [|split; assumption].
  eexists. split; [reflexivity|]. eapply levels_read. eassumption.
Qed.

Lemma index_read n j z : integer 1 n j = Done z -> writes_index j (Z.to_nat (z - 1)).
Proof. intros H. apply integer_read in H. destruct H as [-> H]. unfold writes_index. f_equal. lia.
  Qed.

Lemma rows_read n j two : rows n j = Done (Some two) -> writes_pair j two.
Proof.
  unfold rows. intros H. destruct j as [| |l| | |]; try (cbn in H; discriminate).
  apply bind_done in H. destruct H as [l' [E H]]. reads. injection E as <-. apply bind_done in H.
    destruct H as [found [E H]].
  apply (each_read _ (fun j z => writes_index j (Z.to_nat (z - 1)))) in E;
    [|intros; eapply index_read; eassumption].
  destruct E as [|a x l found Ha E]; [discriminate|]. destruct E as [|b y l found Hb E];
    [discriminate|].
  destruct E; [|discriminate]. injection H as <-. exists a, b. auto.
Qed.

Lemma time_read count j t : match j with Null => Done None | _ => let! t := integer 1 count j in
  Done (Some (Z.to_nat (t - 1))) end = Done t ->
  writes_time j t.
Proof.
  intros H. destruct j; try (injection H as <-; reflexivity); apply bind_done in H;
    destruct H as [value [E H]]; injection H as <-;
    eapply index_read; eassumption.
Qed.

Lemma solutions_read n M a b reached primal dual lambda : check_solutions n M a b reached primal
  dual = Done lambda ->
  at_key dual "lambda" writes_number lambda.
Proof.
  unfold check_solutions. intros H. apply bind_done in H. destruct H as [l [Hl H]].
    apply bind_done in H. destruct H as [l' [Hl' H]].
  apply inside_done in Hl, Hl'. has_keys Hl. has_keys Hl'. step H. injection H as <-. reads.
  eexists. split; eassumption.
Qed.

Lemma recursion_read count j k Ms : read_recursion count j = Done (k, Ms) -> writes_steps j k.
Proof. apply side_steps_read. Qed.

Lemma asked_read d assumed epsilons time bits budgets t :
  read_asked d assumed epsilons time = Done (bits, budgets, t) ->
  writes_list writes_level epsilons (map fst budgets) /\ writes_index time t.
Proof.
  unfold read_asked. intros H. step H. injection H as <- <- <-. reads. subst epsilons. split.
  - eexists. split; [reflexivity|]. eapply levels_read. eassumption.
  - eapply index_read. eassumption.
Qed.

Lemma candidates_read {A} keys (more : nat -> list json -> result A) prior chains own rows all :
  read_candidates keys more prior chains = Done (own, rows, all) ->
  writes_list writes_number prior (nth 0 (given own) []) /\
  writes_list writes_chain chains (map written_of_candidate all).
Proof.
  unfold read_candidates. intros H. step H. injection H as -> -> ->. reads. subst. split.
  - match goal with E : over_one _ [?r] = Done own |- _ => apply over_one_sound in E;
      destruct E as [-> _] end. cbn [nth].
    eexists. split; [reflexivity|]. eapply each_read; [apply number_read|eassumption].
  - eexists. split; [reflexivity|].
    match goal with E : each (read_candidate _ _) _ = Done _ |- _ =>
      apply (each_read _ (fun j one => writes_chain j (written_of_candidate one))) in E;
      [clear - E; induction E; constructor; auto|] end.
    intros j one H. unfold read_candidate in H. apply bind_done in H. destruct H as [l' [Hl H]].
    destruct l' as [|p [|b [|f rest]]]; try discriminate. step H. injection H as <-. reads. subst.
    apply fields_read in Hl.
    repeat match goal with K : Forall2 _ (_ :: _) _ |- _ => inversion K; clear K; subst end.
    cbn [written_of_candidate]. repeat split; cbn [fst snd]; eexists; (split; [eassumption|]);
      auto. eexists. split; [reflexivity|]. eapply each_read; [apply number_read|eassumption].
Qed.

Lemma releases_read digit table epsilon own releases bits M e budget c count :
  read_releases digit table epsilon own releases = Done (bits, M, (e, budget), c, count) ->
  writes_matrix table (given M) /\ writes_level epsilon e /\ writes_number own c /\
  writes_count releases count.
Proof.
  unfold read_releases. intros H. step H. injection H as <- <- <- <- <- <-.
  match goal with E : read_question _ _ _ _ = Done (_, _, (_, _)) |- _ =>
    apply question_read in E; destruct E end. reads.
  split; [assumption|]. split; [assumption|]. split; [assumption|].
  match goal with E : integer_within _ _ _ _ = Done _ |- _ => rename E into Hcount end.
  unfold integer_within in Hcount. destruct releases as [|written| | | |]; try discriminate.
  destruct (_ <? written); [discriminate|]. apply integer_read in Hcount.
  destruct Hcount as [E Hz].
  injection E as ->. unfold writes_count. f_equal. lia.
Qed.

(** The first two of the fields are the kind and the version. *)
Lemma keys_read keys document values : fields ("certificate" :: "version" :: keys) document = Done
  values ->
  exists kind version rest, values = kind :: version :: rest /\ Forall2 (has document) keys rest.
Proof.
  intros H. apply fields_read in H. inversion H as [|? kind ? l ? H']. subst.
    inversion H' as [|? version ? rest]. subst.
  exists kind, version, rest. auto.
Qed.

Ltac open_keys := repeat match goal with
  | K : Forall2 _ (_ :: _) _ |- _ => inversion K; clear K; subst
  | K : Forall2 _ [] _ |- _ => inversion K; clear K; subst
  end.
Ltac parts := unfold denotes; cbv zeta beta; repeat match goal with |- _ /\ _ => split end;
  [match goal with K : In ("certificate", _) _ |- _ => exact K end|..]; eexists;
    (split; [eassumption|]); try assumption.
Ltac questions := repeat match goal with
  | E : read_question _ _ _ _ = Done (_, _, (_, _)) |- _ => apply question_read in E; destruct E
  | E : read_stream _ _ _ _ = Done (_, _, (_, _)) |- _ => apply stream_read in E;
    destruct E as [? [? ?]]
  | E : inside _ (read_recursion _ _) = Done (_, _) |- _ =>
    apply inside_done, recursion_read in E
  | E : read_asked _ _ _ _ = Done (_, _, _) |- _ => apply asked_read in E; destruct E
  | E : read_candidates _ _ _ _ = Done (_, _, _) |- _ => apply candidates_read in E; destruct E
  | E : read_releases _ _ _ _ _ = Done (_, _, (_, _), _, _) |- _ => apply releases_read in E;
    destruct E as [? [? [? ?]]]
  end.

(** A document that is accepted states the claim that is checked and printed: its kind is the
    claim's, and every part of the claim is what the document has under that part's key. *)
Theorem check_denotes document c : check document = Done c -> denotes document c.
Proof.
  unfold check. destruct document as [| | |l| |]; try discriminate. intros H. step H.
  destruct a as [name| | | | |]; try discriminate. step H. rename E into Hkind.
    apply field_in in Hkind.
  match goal with E : fields _ _ = Done ?v |- _ => apply keys_read in E;
    destruct E as [kind [version [rest [-> K]]]] end. step H.
  unfold kinds in *. cbn [kind_of] in *.
  repeat match goal with
  | E : (if String.eqb ?k name then _ else _) = Done _ |- _ =>
      destruct (String.eqb_spec k name) as [<-|_]; [injection E as <- <-|]
  end; try discriminate; open_keys.
  - unfold check_lfp_optimum in H. step H. injection H as <-. reads. subst.
    match goal with E : (let (_, _) := ?p in _) = Done ?s |- _ => rename s into solved;
      rename E into Hs; destruct p end.
    match goal with K : has _ "dual" ?d |- _ => assert (Hd : writes_solution d solved) end.
    { destruct (_ && _)%bool in Hs.
      - apply bind_done in Hs. destruct Hs as [lambda [Hl Hs]]. injection Hs as <-.
        eapply solutions_read. eassumption.
      - match type of Hs with match ?j with _ => _ end = _ => destruct j; try discriminate end.
        match type of Hs with match ?j with _ => _ end = _ => destruct j; try discriminate end.
        injection Hs as <-. reflexivity. }
    parts.
    + match goal with E : bind (some_items _ _) _ = Done _ |- _ => apply bind_done in E;
      destruct E as [? [? ?]] end. reads. subst.
      eexists. split; [reflexivity|]. eapply each_read; [apply number_read|eassumption].
    + match goal with E : bind (items_exactly _ _) _ = Done _ |- _ => apply bind_done in E;
      destruct E as [? [? ?]] end. reads. subst.
      eexists. split; [reflexivity|]. eapply each_read; [apply number_read|eassumption].
  - unfold check_loss_function in H. step H. destruct a1 as [|first others] eqn:Ep;
    [discriminate|]. rewrite <- Ep in *. clear Ep.
    step H. injection H as <-. reads.
    match goal with E : bind (some_items _ _) _ = Done _ |- _ => apply bind_done in E;
      destruct E as [parts_read [? Hp]] end.
    reads. subst. parts. eexists. split; [reflexivity|].
    pose proof (each_read _ (fun j p => writes_piece j (written_of p)) _ _ _ (part_read a) Hp)
      as F. clear - F.
    induction F; constructor; auto.
  - unfold check_loss in H. step H. injection H as <-. subst. questions. reads. parts.
  - unfold check_bounded in H. step H. injection H as <-. subst. questions. reads. parts.
  - unfold check_bounded_below in H. step H. injection H as <-. subst. questions. reads. parts.
  - unfold check_divergent in H. step H. injection H as <-. subst. questions. reads. parts.
  - unfold check_leakage in H. step H. injection H as <-. subst. questions. reads. subst. parts.
    + eexists. split; [reflexivity|]. eapply levels_read. eassumption.
    + eexists. split; [reflexivity|]. eapply steps_read. eassumption.
    + eexists. split; [reflexivity|]. match goal with E : check_steps _ _ _ _ (rev ?l) = Done _ |-
      _ => apply steps_read, Forall2_reversed in E; rewrite rev_involutive in E; exact E end.
    + eexists. split; [reflexivity|]. eapply totals_read. eassumption.
  - unfold check_tight_upper in H. step H. injection H as <-. subst. questions. reads. parts.
    eapply time_read. eassumption.
  - unfold check_tight_forever in H. step H. injection H as <-. subst. reads. parts.
  - unfold check_tight_lower in H. step H.
    match type of H with match ?two with _ => _ end = _ => destruct two as [[j k]|] eqn:Et;
      [|discriminate] end. step H.
    match type of H with match ?at_time with _ => _ end = _ => destruct at_time as [[? ?]|];
      [|discriminate] end. step H.
    injection H as <-. subst. questions. reads. parts.
    + eapply index_read. eassumption.
    + eapply rows_read. eassumption.
  - unfold check_tight_divergent in H. step H. injection H as <-. subst. questions. reads. parts.
  - unfold check_mixture_upper in H. step H.
    match type of H with match ?at_time with _ => _ end = _ => destruct at_time as [[? ?]|];
      [|discriminate] end. step H.
    injection H as <-. subst. questions. reads. parts.
  - unfold check_mixture_lower in H. step H.
    match type of H with match ?two with _ => _ end = _ => destruct two as [[j k]|] eqn:Et;
      [|discriminate] end.
    match type of H with match ?at_time with _ => _ end = _ => destruct at_time as [[? ?]|];
      [|discriminate] end. step H.
    injection H as <-. subst. questions. reads. parts. eapply rows_read. eassumption.
  - unfold check_profile_upper in H. step H. injection H as <-. subst. questions. reads. parts.
  - unfold check_profile_lower in H. step H.
    match type of H with match ?two with _ => _ end = _ => destruct two as [[j k]|] eqn:Et;
      [|discriminate] end. step H.
    injection H as <-. subst. questions. reads. parts. eapply rows_read. eassumption.
Qed.
