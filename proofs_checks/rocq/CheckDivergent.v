(** The verified checker on the tight leakage without bound: sets of values that never meet, or
    that keep too much. *)

From TPL Require Export CheckLower Criterion.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition all_occur := "the values can occur at all times".

Definition inhabited (listed : list bool) : bool := existsb (fun b => b) listed.

(** No value is in two of the sets, or in one and used before. *)
Definition joined (one other : list bool) : list bool := map (fun both => fst both || snd both)
  (combine one other).
Definition meets (one other : list bool) : bool := existsb (fun both => fst both && snd both)
  (combine one other).
Fixpoint disjoint (used : list bool) (sets : list (list bool)) : bool :=
  match sets with [] => true | listed :: rest => negb (meets used listed) && disjoint
    (joined used listed) rest end.

(** From each value of the first set the probabilities of the second add up to 1. *)
Definition leads_to (M : distributions) (values to : list bool) : bool :=
  forallb (fun both => negb (fst both) || (masked to (snd both) 0 =? common M)) (combine values
    (units M)).

(** The place of the set to which each set leads, counted from 0. *)
Fixpoint distinct (l : list nat) : bool :=
  match l with [] => true | z :: rest => negb (existsb (Nat.eqb z) rest) && distinct rest end.
Definition all_lead (M : distributions) (sets : list (list bool)) (next : list nat) : bool :=
  Nat.eqb (List.length next) (List.length sets) && distinct next &&
  forallb (fun both => Nat.ltb (snd both) (List.length sets) && leads_to M (fst both)
    (nth (snd both) sets []))
    (combine sets next).

(** Weights of the members of a set as a vector. *)
Fixpoint spread (listed : list bool) (weights : list rational) : list rational :=
  match listed with
  | [] => []
  | b :: listed' =>
      match b, weights with
      | true, x :: weights' => x :: spread listed' weights'
      | _, _ => (0, 1%positive) :: spread listed' weights
      end
  end.
(** a/b <= e^epsilon; u, the weights as integers; z = u P. *)
Definition keeps_enough (a b c : Z) (listed : list bool) (u z : list Z) : bool :=
  forallb (fun both => let '(kept, (x, y)) := both in
    (0 <=? x) && if kept : bool then x * b * c <=? y * a else x =? 0) (combine listed
      (combine u z)).
Definition flows_out (listed : list bool) (z : list Z) : bool := 0 <? masked (map negb listed) z 0.

Definition check_weights (n : nat) (M : distributions) (a b : Z) (sets : list (list bool)) (j :
  json) : result unit :=
  match sets with
  | [first; second] =>
      let! l := items_exactly (count_occ Bool.bool_dec first true) j in
      let! weights := each number l in
      let! c := denominators_of 1 [weights] in
      let u := map (scaled_entry c) (spread first weights) in
      let z := add_rows (units M) u (repeat 0 n) in
      let! _ := require (leads_to M second second) "the second set is left" in
      let! _ := require (Nat.eqb (List.length u) n && flows_out first z)
        "nothing leaves the first set" in
      require (keeps_enough a b (common M) first u z) "e^epsilon w P >= w is not proved"
  | _ => Rejected "" "two sets are expected beside weights"
  end.

Definition check_tight_divergent (l : list json) : result claim :=
  match l with
  | [d; assumed; table; epsilon; listed; next; weights] =>
      let! _ := inside "assumed" (assumes [every_step; all_occur] assumed) in
      let! (bits, M, (e, budget)) := read_question d table "epsilon" epsilon in
      let n := List.length (given M) in
      let (a, b) := low budget in
      let! _ := inside "epsilon" (require (0 <? snd (high budget)) "a finite level is expected") in
      let! _ := inside "epsilon" (require (b <? a) "it is not positive") in
      let! sets := inside "sets" (read_sets n listed) in
      let! _ := inside "sets" (require (Nat.leb 2 (List.length sets)) "two sets are expected") in
      let! _ := inside "sets" (require (forallb inhabited sets && disjoint (repeat false n) sets)
        "a set is empty, or two of them meet") in
      let! _ := match weights with
        | Null =>
            let! onward := inside "next" (items next) in
            let! places := inside "next" (each (integer 1 (Z.of_nat (List.length sets))) onward) in
            inside "next" (require (all_lead M sets (map (fun z => Z.to_nat (z - 1)) places))
              "a set does not lead surely into the next, or two into the same")
        | _ =>
            let! _ := inside "next" (match next with Null => Done tt | _ =>
              Rejected "" "null is expected beside weights" end) in
            inside "weights" (check_weights n M a b sets weights)
        end in
      Done (Tight_divergent (given M) e sets)
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma joined_length one other : List.length one = List.length other ->
  List.length (joined one other) = List.length other.
Proof. intros E. unfold joined. rewrite map_length, combine_length. lia. Qed.

Lemma joined_spec one other a : List.length one = List.length other ->
  set_of (joined one other) a = set_of one a || set_of other a.
Proof.
  unfold set_of, joined. revert other a. induction one as [|b one IH]; intros [|b' other] a E;
    simpl in E; try discriminate.
  - destruct a; reflexivity.
  - destruct a as [|a]; [reflexivity|]. simpl. apply IH. congruence.
Qed.

Lemma meets_spec one other a : List.length one = List.length other -> meets one other = false ->
  set_of one a = true -> set_of other a = false.
Proof.
  unfold set_of, meets. revert other a. induction one as [|b one IH]; intros [|b' other] a E H;
    simpl in E, H; try discriminate.
  - destruct a; discriminate.
  - apply orb_false_elim in H. destruct H as [H1 H2]. destruct a as [|a]; simpl;
    [|apply IH; congruence || assumption].
    intros ->. simpl in H1. assumption.
Qed.

Lemma disjoint_spec n sets used : List.length used = n -> (forall i, (i < List.length sets)%nat ->
  List.length (nth i sets []) = n) ->
  disjoint used sets = true -> forall a i, (i < List.length sets)%nat ->
  (set_of used a = true -> set_of (nth i sets []) a = false) /\
  forall j, (i < j < List.length sets)%nat -> set_of (nth i sets []) a = true ->
    set_of (nth j sets []) a = false.
Proof.
  revert used. induction sets as [|listed sets IH]; intros used Eu El H a i Hi; simpl in Hi;
    [lia|].
  cbn [disjoint] in H. apply andb_prop in H. destruct H as [H1 H2]. apply negb_true_iff in H1.
  pose proof (El 0%nat ltac:(simpl; lia)) as E0. simpl in E0.
  assert (Ej : List.length used = List.length listed) by congruence.
  specialize (IH (joined used listed) ltac:(rewrite joined_length; congruence) (fun i Hi =>
    El (S i) (le_n_S _ _ Hi)) H2 a).
  destruct i as [|i]; simpl nth.
  - split; [apply meets_spec; assumption|]. intros [|j] Hj; [lia|]. intros Ha. simpl.
    apply (proj1 (IH j ltac:(simpl in Hj; lia))). rewrite joined_spec, Ha by assumption.
      apply orb_true_r.
  - destruct (IH i ltac:(lia)) as [I1 I2]. split.
    + intros Ha. apply I1. rewrite joined_spec, Ha by assumption. reflexivity.
    + intros [|j] Hj; [lia|]. simpl in *. apply I2. lia.
Qed.

Lemma leads_to_sound M values to a b : let n := List.length (given M) in well_formed n M ->
  List.length values = n ->
  leads_to M values to = true -> (a < n)%nat -> (b < n)%nat -> set_of values a = true ->
    set_of to b = false ->
  of_matrix (given M) a b = 0.
Proof.
  intros n HM El H Ha Hb Da Db. pose proof (well_formed_stochastic M HM a Ha) as [HP0 HP1].
    fold n in HP0, HP1.
  destruct (HM) as [Hc [Eu _]]. unfold leads_to in H. rewrite forallb_forall in H.
  specialize (H (nth a values false, nth a (units M) []) (in_combine_nth values (units M) a false
    [] ltac:(lia) ltac:(lia))).
  cbn [fst snd] in H. unfold set_of in Da. rewrite Da in H. apply Z.eqb_eq in H.
    apply (f_equal IZR) in H.
  rewrite (masked_set n) in H by assumption. apply IZR_lt in Hc.
  assert (Hone : sum_on n (set_of to) (of_matrix (given M) a) = 1) by (apply Rmult_eq_reg_l
    with (IZR (common M)); lra).
  pose proof (sum_split n (set_of to) (of_matrix (given M) a)) as Hs. rewrite HP1, Hone in Hs.
  assert (Hrest : sum_on n (fun b => negb (set_of to b)) (of_matrix (given M) a) = 0) by lra.
  apply (sum_zero_term n (fun b => if negb (set_of to b) then of_matrix (given M) a b else 0) b) in
    Hrest; auto.
  - rewrite Db in Hrest. exact Hrest.
  - intros d Hd. destruct (set_of to d); simpl; [lra|auto].
Qed.

(** Answers yes, about D_s before time T and about {j} at T, or in the order turned round: what
    they come to. *)
Lemma answers_tell P x (D : nat -> set) T j k v : let n := List.length P in
  stochastic n (of_matrix P) -> 0 <= x -> (j < n)%nat -> (k < n)%nat -> j <> k ->
  let f := before n (fun _ => of_matrix P) (fun s => corner (D s) (exp x)) T in
  exp v * f k <= f j ->
  tells_apart (Constant P) (Constant []) (fun _ => x) T T j k v /\
    tells_apart (Constant []) (Constant P) (fun _ => x) T 0 j k v.
Proof.
  intros n HP Hx Hj Hk Hjk f Hf. pose proof (exp_pos x) as HE.
  assert (Hm : 0 < / (exp x + 1)) by (apply Rinv_0_lt_compat; lra).
  assert (Hv : forall s b, 0 < corner (D s) (exp x) b) by (intros s b; unfold corner;
    destruct (D s b); lra).
  assert (Hscaled : forall B w, (forall s, stochastic n (B s)) ->
    (forall s a b, (s < T)%nat -> (a < n)%nat -> (b < n)%nat -> B s a b = of_matrix P a b) ->
    (forall s b, (s < T)%nat -> w s b = corner (D s) (exp x) b * / (exp x + 1)) ->
    0 < before n B w T k /\ exp v * before n B w T k <= before n B w T j).
  { intros B w HB Hsame Hw.
    assert (Ef : forall a, (a < n)%nat -> before n B (fun s => corner (D s) (exp x)) T a = f a).
    { intros a Ha. apply before_ext; auto. }
    destruct (before_scaled n B w (fun s => corner (D s) (exp x)) T (fun _ => / (exp x + 1)) j)
      as [y [_ Ey]]; auto.
    { intros _. lra. }
    assert (Hw0 : 0 < before n B w T k).
    { apply before_positive; auto. intros s b Hs _. rewrite Hw by assumption.
      apply Rmult_lt_0_compat; auto. }
    assert (Hf0 : 0 < f k) by (rewrite <- Ef by assumption; apply before_positive; auto).
    rewrite !Ey, !Ef in * by assumption. split; [assumption|].
    assert (0 < y) by (destruct (Rlt_dec 0 y) as [|N]; [assumption|exfalso; nra]). nra. }
  assert (HP0 : values_in (Constant P) <> 0%nat) by (change (n <> 0%nat); lia).
  assert (Hyes : forall sets s b from to (D' : set), (from <= s <= to)%nat -> sets s = D' ->
    outputs (randomized_response (fun _ => x) sets) (fun _ => true) from to s b = corner D' (exp x)
      b * / (exp x + 1)).
  { intros sets s b from to D' Hs E. unfold outputs. destruct (Nat.leb_spec from s); [|lia].
    destruct (Nat.leb_spec s to); [|lia].
    simpl. unfold randomized_response, corner. rewrite E. destruct (D' b); reflexivity. }
  split; intros n' c [Hc [HB HF]] _ _ Pj Pk.
  - destruct HB as [E|[En [B [HB Hsame]]]]; [contradiction|]. change (n' = n) in En. subst n'.
    exists (fun s => if Nat.eqb s T then fun a => Nat.eqb a j else D s).
    split; [apply randomized_response_private; auto|]. cbv zeta.
    replace (first_seen (Constant P) T) with 0%nat
      by (unfold first_seen; destruct (values_in (Constant P)); [contradiction|reflexivity]).
      unfold last_seen.
    destruct (Hscaled B (outputs (randomized_response (fun _ => x) (fun s => if Nat.eqb s T
      then fun a => Nat.eqb a j else D s))
      (fun _ => true) 0 T) (proj1 HB)) as [H1 H2]; auto.
    { intros s b Hs. apply Hyes; [lia|]. destruct (Nat.eqb_spec s T); [lia|reflexivity]. }
    apply (lower_sound n c B (fun _ => x) T T j k _ 0 T v 0 v); auto; try lia; try lra.
    + rewrite Nat.eqb_refl. reflexivity.
    + rewrite Nat.sub_diag. simpl. lra.
    + rewrite Nat.sub_diag, exp_0. simpl. lra.
  - destruct HF as [E|[En Hsame]]; [contradiction|]. change (n' = n) in En. subst n'.
    exists (fun s => if Nat.eqb s 0 then fun a => Nat.eqb a j else D (T - s)%nat).
    split; [apply randomized_response_private; auto|]. cbv zeta. unfold first_seen.
    replace (last_seen (Constant P) T 0) with T
      by (unfold last_seen; destruct (values_in (Constant P)); [contradiction|reflexivity]).
    set (w := outputs (randomized_response (fun _ => x) (fun s => if Nat.eqb s 0 then fun a =>
      Nat.eqb a j else D (T - s)%nat))
      (fun _ => true) 0 T).
    destruct (Hscaled (fun s => forward c (T - S s)%nat) (turned T w)) as [H1 H2]; auto.
    { intros s. apply Hc. }
    { intros s a b Hs Ha Hb. apply Hsame; auto. lia. }
    { intros s b Hs. unfold turned, w. apply Hyes; [lia|]. destruct (Nat.eqb_spec (T - s) 0);
      [lia|].
      replace (T - (T - s))%nat with s by lia. reflexivity. }
    apply (lower_sound n c (reversed n c) (fun _ => x) T 0 j k _ 0 T 0 v v); auto; try lia;
      try lra; simpl; try lra.
    + apply bayes_rule; [lia|assumption].
    + rewrite exp_0. lra.
    + rewrite Nat.sub_0_r. exact H1.
    + rewrite Nat.sub_0_r. exact H2.
Qed.

(** The set in which a chain that is in the i-th at time t was s steps before: places followed s
    times. *)
Fixpoint followed (next : list nat) (s i : nat) : nat := match s with O => i | S r =>
  nth (followed next r i) next 0%nat end.

Lemma distinct_spec l : distinct l = true -> NoDup l.
Proof.
  induction l as [|z l IH]; simpl; intros H; [constructor|]. apply andb_prop in H.
    destruct H as [H1 H2]. constructor; [|auto].
  intros Hin. apply negb_true_iff in H1. assert (existsb (Nat.eqb z) l = true); [|congruence].
  apply existsb_exists. exists z. split; [assumption|apply Nat.eqb_refl].
Qed.

Lemma all_lead_claim M sets next x : let n := List.length (given M) in well_formed n M -> 0 < x ->
  (2 <= List.length sets)%nat -> (forall i, (i < List.length sets)%nat ->
    List.length (nth i sets []) = n) ->
  forallb inhabited sets = true -> disjoint (repeat false n) sets = true -> all_lead M sets next =
    true ->
  leaks_without_bound (given M) x sets.
Proof.
  intros n HM Hx H2 El Hsome Hdis H v. pose proof (well_formed_stochastic M HM) as HP.
    fold n in HP.
  unfold all_lead in H. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 Hd].
  apply Nat.eqb_eq in H1. apply distinct_spec in Hd. rewrite forallb_forall in H3.
    set (m := List.length sets) in *.
  assert (Hnext : forall i, (i < m)%nat -> (nth i next 0 < m)%nat /\
    leads_to M (nth i sets []) (nth (nth i next 0%nat) sets []) = true).
  { intros i Hi. specialize (H3 (nth i sets [], nth i next 0%nat) (in_combine_nth sets next i []
    0%nat ltac:(lia) ltac:(lia))).
    cbn [fst snd] in H3. apply andb_prop in H3. destruct H3 as [H3 H4]. apply Nat.ltb_lt in H3.
      auto. }
  assert (Hin : forall s i, (i < m)%nat -> (followed next s i < m)%nat).
  { induction s as [|s IH]; intros i Hi; simpl; [assumption|]. apply Hnext. auto. }
  assert (Hne : forall s, followed next s 0 <> followed next s 1).
  { induction s as [|s IH]; simpl; [lia|]. intros E. apply IH.
    apply (proj1 (NoDup_nth next 0%nat) Hd); auto; rewrite H1; apply Hin; lia. }
  assert (Hapart : forall i i' a, (i < m)%nat -> (i' < m)%nat -> i <> i' -> set_of (nth i sets [])
    a = true ->
    set_of (nth i' sets []) a = false).
  { intros i i' a Hi Hi' N Ha.
    pose proof (disjoint_spec n sets (repeat false n) (repeat_length _ _) El Hdis a) as Hspec.
    destruct (Nat.lt_ge_cases i i') as [Hlt|Hge]; [apply (proj2 (Hspec i Hi)); auto; fold m; lia|].
    destruct (set_of (nth i' sets []) a) eqn:E; [|reflexivity].
    rewrite (proj2 (Hspec i' Hi') i) in Ha by (auto; fold m; lia). discriminate. }
  assert (Hmember : forall i, (i < m)%nat -> exists a, (a < n)%nat /\ set_of (nth i sets []) a =
    true).
  { intros i Hi. rewrite forallb_forall in Hsome.
    pose proof (Hsome (nth i sets []) (nth_In _ _ Hi)) as Hs. apply existsb_exists in Hs.
    destruct Hs as [b [Hb E]]. subst b. apply (In_nth _ _ false) in Hb. destruct Hb as [a [Ha E]].
    exists a. rewrite El in Ha by assumption. auto. }
  destruct (Hmember 0%nat ltac:(lia)) as [j [Hj Ej]]. destruct (Hmember 1%nat ltac:(lia))
    as [k [Hk Ek]].
  destruct (multiple x v Hx) as [T HT].
  assert (Hjk : j <> k) by (intros ->; rewrite (Hapart 0%nat 1%nat k) in Ek by (auto; lia);
    discriminate).
  exists T, j, k. split; [assumption|]. split; [assumption|].
  split; [exists (nth 0 sets []); split; [apply nth_In; fold m; lia|assumption]|].
  split; [exists (nth 1 sets []); split; [apply nth_In; fold m; lia|assumption]|].
  set (D := fun i s => set_of (nth (followed next (T - s) i) sets [])).
  assert (Hleads : forall i, (i < m)%nat -> leads n (of_matrix (given M)) (D i) T).
  { intros i Hi s a b Hs Ha Hb Da Db. unfold D in *. replace (T - s)%nat with (S (T - S s)) in
    Db by lia. simpl in Db.
    eapply (leads_to_sound M _ _ a b HM); [apply El; fold m; apply Hin; eassumption|apply Hnext;
      apply Hin; assumption| | | |];
      eassumption. }
  apply (answers_tell (given M) x (D 0%nat)); auto; [lra|].
  destruct (led_apart n (of_matrix (given M)) (exp x) (D 0%nat) (D 1%nat) T HP (Hleads 0%nat
    ltac:(lia)) (Hleads 1%nat ltac:(lia))
    (fun s a _ Da => Hapart _ _ a (Hin _ 0%nat ltac:(lia)) (Hin _ 1%nat ltac:(lia)) (Hne _) Da) T j
      (le_n T) Hj) as [F1 _].
  destruct (led_apart n (of_matrix (given M)) (exp x) (D 0%nat) (D 1%nat) T HP (Hleads 0%nat
    ltac:(lia)) (Hleads 1%nat ltac:(lia))
    (fun s a _ Da => Hapart _ _ a (Hin _ 0%nat ltac:(lia)) (Hin _ 1%nat ltac:(lia)) (Hne _) Da) T k
      (le_n T) Hk) as [_ F2].
  fold n. rewrite F1, F2 by (unfold D; rewrite Nat.sub_diag; assumption). rewrite Rmult_1_r.
  rewrite exp_power. apply exp_le. lra.
Qed.

Lemma spread_length listed weights : List.length (spread listed weights) = List.length listed.
Proof. revert weights. induction listed as [|[|] listed IH]; intros [|x weights]; simpl; auto. Qed.

Lemma check_weights_claim M a b sets j u x budget : let n := List.length (given M) in
  well_formed n M ->
  encloses budget (Some x) -> low budget = (a, b) -> (b < a)%Z ->
  (forall i, (i < List.length sets)%nat -> List.length (nth i sets []) = n) ->
  forallb inhabited sets = true -> disjoint (repeat false n) sets = true -> check_weights n M a b
    sets j = Done u ->
  leaks_without_bound (given M) x sets.
Proof.
  intros n HM He Elow Hab El Hsome Hdis H v. pose proof (well_formed_stochastic M HM) as HP.
    fold n in HP.
  destruct sets as [|first [|second [|]]]; try discriminate. cbn [check_weights] in H. step H.
    clean.
  match goal with E : _ && _ = true |- _ => apply andb_prop in E; destruct E as [Ew Hout] end.
    apply Nat.eqb_eq in Ew.
  rename H into Hkeep.
  match goal with E : leads_to _ _ _ = true |- _ => rename E into Hclosed end.
  set (w := map (scaled_entry _) _) in *. set (z := add_rows (units M) w (repeat 0%Z n)) in *.
  destruct HM as [Hc [Eu Hall]]. fold n in Eu, Hall.
  pose proof (El 0%nat ltac:(simpl; lia)) as Lfirst.
  pose proof (El 1%nat ltac:(simpl; lia)) as Lsecond. simpl in Lfirst, Lsecond.
  set (weight := fun a => IZR (nth a w 0%Z)).
  assert (Hz : List.length z = n /\ forall a, IZR (nth a z 0%Z) = IZR (common M) * back n
    (of_matrix (given M)) weight a).
  { assert (Hspec : forall a, List.length z = n /\ IZR (nth a z 0%Z) = IZR (nth a (repeat 0%Z n)
    0%Z) +
      sum (List.length (units M)) (fun b => IZR (nth a (nth b (units M) []) 0%Z) * IZR
        (nth b w 0%Z))).
    { intros d. apply add_rows_spec; [intros i Hi; apply Hall; lia|lia|apply repeat_length]. }
    split; [apply (Hspec 0%nat)|]. intros d. rewrite (proj2 (Hspec d)).
    replace (nth d (repeat 0%Z n) 0%Z) with 0%Z by (symmetry; apply nth_repeat).
      rewrite Rplus_0_l, Eu. unfold back.
    rewrite <- sum_scale. apply sum_ext. intros i Hi. destruct (Hall i Hi) as [_ [_ Hu]].
      unfold units_of in Hu. rewrite Hu.
    unfold weight. ring. }
  destruct Hz as [Ez Hz]. apply IZR_lt in Hc as HC.
  destruct He as [_ [[Ha0 [Hb0 Hlow]] _]]. rewrite Elow in *. cbn [fst snd] in *.
  apply IZR_lt in Hab as HAB. apply IZR_lt in Ha0. apply IZR_le in Hb0.
  assert (Hb1 : 0 < IZR b) by (destruct Hb0 as [|Eb]; [assumption|rewrite <- Eb in Hlow; lra]).
  assert (Hx : 0 < x).
  { destruct (Rlt_dec 0 x) as [|N]; [assumption|exfalso]. assert (exp x <= 1) by (rewrite <- exp_0;
    apply exp_le; lra). nra. }
  assert (Hkeeps : keeps n (of_matrix (given M)) (exp x) (set_of first) weight).
  { unfold keeps_enough in Hkeep. rewrite forallb_forall in Hkeep.
    assert (Heach : forall d, (d < n)%nat -> (0 <= nth d w 0)%Z /\
      if set_of first d then (nth d w 0 * b * common M <= nth d z 0 * a)%Z else nth d w 0%Z = 0%Z).
    { intros d Hd. pose proof (in_combine_nth first (combine w z) d false (0%Z, 0%Z) ltac:(lia)
      ltac:(rewrite combine_length; lia)) as Hin.
      rewrite combine_nth in Hin by lia. specialize (Hkeep _ Hin). cbv beta iota in Hkeep.
        apply andb_prop in Hkeep.
      destruct Hkeep as [K1 K2]. apply Z.leb_le in K1. split; [assumption|]. unfold set_of.
      destruct (nth d first false); [apply Z.leb_le|apply Z.eqb_eq]; assumption. }
    split; intros d Hd; destruct (Heach d Hd) as [K1 K2].
    - split; [apply IZR_le; assumption|]. intros Out. rewrite Out in K2. unfold weight. rewrite K2.
      reflexivity.
    - intros In. rewrite In in K2. apply IZR_le in K2. rewrite !mult_IZR, Hz in K2.
      fold (weight d) in K2.
      assert (Hw0 : 0 <= back n (of_matrix (given M)) weight d).
      { apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [apply HP; assumption|]. apply IZR_le.
        apply Heach. assumption. }
      set (y := back n (of_matrix (given M)) weight d) in *.
      apply Rmult_le_reg_r with (IZR b * IZR (common M)); [apply Rmult_lt_0_compat; assumption|].
      apply Rle_trans with (IZR (common M) * y * IZR a); [lra|].
      replace (exp x * y * (IZR b * IZR (common M))) with (IZR (common M) * y * (exp x * IZR b))
        by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption]. }
  assert (Hflow : 0 < sum_on n (fun b => negb (set_of first b)) (back n (of_matrix (given M))
    weight)).
  { apply Z.ltb_lt, IZR_lt in Hout. rewrite masked_spec, Ez, Rplus_0_l in Hout.
    apply Rmult_lt_reg_l with (IZR (common M)); [assumption|]. rewrite Rmult_0_r.
      eapply Rlt_le_trans; [exact Hout|]. right.
    unfold sum_on. rewrite <- sum_scale. apply sum_ext. intros d Hd. rewrite Hz.
    rewrite (nth_indep _ false (negb false)) by (rewrite map_length; lia). rewrite map_nth.
      unfold set_of.
    destruct (nth d first false); simpl; ring. }
  assert (Hapart : forall d, (d < n)%nat -> set_of first d = true -> set_of second d = false).
  { intros d _ Ed.
    apply (proj2 (disjoint_spec n [first; second] (repeat false n) (repeat_length _ _) El Hdis d
    0%nat ltac:(simpl; lia))
      1%nat ltac:(simpl; lia) Ed). }
  assert (HK : closed n (of_matrix (given M)) (set_of second)).
  { intros d i Hd Hi Dd Di. apply (leads_to_sound M second second d i); auto. split; [assumption|].
    auto. }
  destruct (unbounded_kept n (of_matrix (given M)) (exp x) (set_of first) (set_of second) weight
    (exp v) HP
    (exp_ratio x ltac:(lra)) HK Hapart Hkeeps Hflow) as [T [i [Hi [Ei Htell]]]].
  simpl in Hsome. apply andb_prop in Hsome. destruct Hsome as [_ Hsome]. apply andb_prop in Hsome.
    destruct Hsome as [Hsome _].
  apply existsb_exists in Hsome. destruct Hsome as [t [Hin Et]]. subst t.
    apply (In_nth _ _ false) in Hin.
  destruct Hin as [k [Hk Ek]]. rewrite Lsecond in Hk.
  assert (Hik : i <> k) by (intros ->; pose proof (Hapart k Hk Ei) as N; unfold set_of in N;
    congruence).
  exists T, i, k. split; [assumption|]. split; [assumption|].
  split; [exists first; split; [simpl; auto|assumption]|]. split; [exists second; split;
    [simpl; auto|assumption]|].
  apply (answers_tell (given M) x (fun _ => set_of first)); auto; lra.
Qed.

Lemma check_tight_divergent_sound l c : check_tight_divergent l = Done c -> holds c.
Proof.
  unfold check_tight_divergent. intros H. do 7 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. injection H as <-. clean.
  match goal with E : low ?e = (?x, ?y) |- _ => rename e into budget; rename x into a';
    rename y into b'; rename E into Elow end.
  matrix_of HM Hn.
  match goal with E : _ && _ = true |- _ => apply andb_prop in E; destruct E as [Hsome Hdis] end.
  match goal with E : (b' <? a')%Z = true |- _ => apply Z.ltb_lt in E; rename E into Hab end.
  match goal with E : (0 <? snd (high _))%Z = true |- _ => apply Z.ltb_lt in E; rename E into Hfin
    end.
  match goal with E : (2 <=? _)%nat = true |- _ => apply Nat.leb_le in E; rename E into H2 end.
  match goal with E : read_sets _ _ = Done ?x |- _ => rename x into sets; rename E into Hsets end.
  split; [apply well_formed_stochastic; assumption|]. intros x [Hx0 Hx].
  match goal with E : encloses budget _ |- _ => rename E into He end.
  assert (He' : encloses budget (Some x)).
  { destruct (of_level _) as [y|]; [subst y; assumption|]. destruct He as [_ [_ [_ [_ Hinf]]]].
    lia. }
  pose proof (fun i => read_sets_length _ _ _ i Hsets) as El.
  assert (Hpos : 0 < x) by (apply (above_one budget x He'); rewrite Elow; assumption).
  match goal with E : match ?j with Null => _ | _ => _ end = Done _ |- _ => rename j into weights;
    rename E into H end.
  destruct weights; step H; clean; try (eapply check_weights_claim; eassumption).
  eapply all_lead_claim; eassumption.
Qed.
