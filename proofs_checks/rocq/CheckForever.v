(** The verified checker on the tight leakage for ever: sweeps until a barrier that every step
    lowers. *)

From TPL Require Export CheckTight.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** The correlations *)

(** A correlation: a matrix, or null for the matrix of no rows. *)
Definition read_correlation (j : json) : result distributions :=
  match j with Null => Done {| given := []; units := []; common := 1 |} | _ => read_matrix j end.

Definition same_size (B F : distributions) : bool :=
  match given B, given F with [], _ | _, [] => true | b, f => Nat.eqb (List.length b)
    (List.length f) end.

(** The two correlations of a user. *)
Definition read_known (backward forward : json) : result (distributions * distributions) :=
  let! B := inside "backward" (read_correlation backward) in
  let! F := inside "forward" (read_correlation forward) in
  let! _ := inside "forward" (require (same_size B F) "it is not as large as the other matrix") in
  Done (B, F).

Definition size (B F : distributions) : nat := Nat.max (List.length (given B))
  (List.length (given F)).

(** ** Barriers *)

(** P^T Phi(h) <= theta h, where h is in any units, and the budget e^epsilon in units of 1/unit. *)
Definition lowers (n : nat) (M : distributions) (unit budget : Z) (theta : rational) (h : list Z) :
  bool :=
  let after := map (fun x => if 0 <? x then x * budget else x * unit) h in
  forallb (fun both => let '(x, y) := both in x * Zpos (snd theta) <=? fst theta * y * common M *
    unit)
    (combine (add_rows (units M) after (repeat 0 n)) h).

(** The same after some steps, each rounded upward: of h in units of 1/(common * unit^turns), for
    the first to round nothing. *)
Fixpoint units_of_turns (turns : nat) (c unit : Z) : Z := match turns with O => c | S r =>
  units_of_turns r c unit * unit end.
Fixpoint after_turns (turns : nat) (n : nat) (M : distributions) (unit budget : Z) (z : list Z) :
  list Z :=
  match turns with O => z | S r => stepped n M (weighed unit budget (after_turns r n M unit budget
    z)) end.
Definition lowers_in (turns : nat) (n : nat) (M : distributions) (unit budget : Z) (theta :
  rational) (h : list Z) : bool :=
  let exact := map (fun x => x * units_of_turns turns (common M) unit) h in
  forallb (fun both => let '(x, y) := both in x * Zpos (snd theta) <=? fst theta * y)
    (combine (after_turns turns n M unit budget exact) exact).

(** The least a/b >= 0 for which c <= a/b h where h is above 0. *)
Fixpoint least_factor (c h : list Z) (a b : Z) : Z * Z :=
  match c, h with
  | x :: c', y :: h' => if (0 <? y) && (a * y <? x * b) then least_factor c' h' x y
    else least_factor c' h' a b
  | _, _ => (a, b)
  end.
Definition stops (c h : list Z) : bool :=
  let '(a, b) := least_factor c h 0 1 in
  (0 <=? a) && (0 <? b) && forallb (fun both => let '(x, y) := both in x * b <=? a * y)
    (combine c h).

Fixpoint over_in (fuel : nat) (n : nat) (M : distributions) (unit budget : Z) (barriers :
  list (list Z)) (c : list Z) : bool :=
  if existsb (stops c) barriers then true
  else match fuel with O => false | S f => over_in f n M unit budget barriers
    (stepped n M (weighed unit budget c)) end.

(** A vector above - below, over one denominator, its theta, and after how many steps it is
    lowered. *)
Definition most_turns := 100.
Definition has_turns (j : json) : bool := match j with Fields l => existsb (fun both =>
  String.eqb (fst both) "turns") l | _ => false end.
Definition read_barrier (n : nat) (j : json) : result (list Z * rational * nat) :=
  let! l := fields (["above"; "below"; "theta"] ++ if has_turns j then ["turns"] else [])%list j in
  match l with
  | a :: b :: theta :: more =>
      let! turns := match more with [d] => inside ".turns" (integer_within 2 most_turns "turns"
        d) | _ => Done 1 end in
      let! t := inside ".theta" (number theta) in
      let! _ := inside ".theta" (require ((0 <=? fst t) && (fst t <? Zpos (snd t)))
        "it is not below 1") in
      let! up := inside ".above" (let! l := items_exactly n a in each number l) in
      let! down := inside ".below" (let! l := items_exactly n b in each number l) in
      let! c := denominators_of 1 [up; down] in
      let h := map (fun both => scaled_entry c (fst both) - scaled_entry c (snd both))
        (combine up down) in
      Done (h, t, Z.to_nat turns)
  | _ => Rejected "" "other fields are expected"
  end.
Definition barrier_holds (n : nat) (M : distributions) (unit budget : Z) (b :
  list Z * rational * nat) : bool :=
  let '(h, theta, turns) := b in
  Nat.eqb (List.length h) n && (0 <=? fst theta) && (fst theta <? Zpos (snd theta)) && Nat.leb 1
    turns
    && if Nat.eqb turns 1 then lowers n M unit budget theta h else lowers_in turns n M unit budget
      theta h.

Definition most_swept := 1000000.
Definition most_barriers := 100.

(** What is shown of one side: the accepting of first differences, and the table. *)
Definition read_side (n : nat) (M : distributions) (unit budget : Z) (j : json)
  : result ((list Z -> bool) * list (list rational)) :=
  if Nat.eqb (List.length (given M)) 0 then
    match j with
    | Null => Done ((fun _ => false), ones n)
    | _ => Rejected "" "null is expected: there is no matrix"
    end
  else
      let! l := fields ["steps"; "barriers"; "ratios"] j in
      match l with
      | [s; b; r] =>
          let! steps := inside ".steps" (integer_within 0 most_swept "steps" s) in
          let! listed := inside ".barriers" (items b) in
          let! _ := inside ".barriers" (within_limit (Z.of_nat (List.length listed) <=?
            most_barriers) "more than 100 items") in
          let! barriers := inside ".barriers" (each (read_barrier n) listed) in
          let! _ := inside ".barriers" (require (forallb (barrier_holds n M unit budget) barriers)
            "after its turns h has not declined by theta") in
          let! table := inside ".ratios" (read_table n r) in
          Done (over_in (Z.to_nat steps) n M unit budget (repeat 0 n :: map (fun b => fst (fst b))
            barriers), table)
      | _ => Rejected "" "other fields are expected"
      end.

Definition side_holds (M : distributions) (unit : Z) (over : list Z -> bool) (table :
  list (list rational)) : bool :=
  match given M with [] => at_least_one table | _ => all_pairs M unit table over end.

Definition check_tight_forever (l : list json) : result claim :=
  match l with
  | [d; assumed; backward; forward; epsilon; past; future; level] =>
      let! bits := inside "digits" (digits d) in
      let! _ := inside "assumed" (assumes [every_step; not_adaptive] assumed) in
      let! (e, budget) := inside "epsilon" (read_level bits epsilon) in
      let! _ := inside "epsilon" (require (0 <? snd (high budget)) "a finite level is expected") in
      let! (B, F) := read_known backward forward in
      let n := size B F in
      let unit := two_to bits in
      let grid := on_grid unit budget in
      let! (over_past, pasts) := inside "past" (read_side n B unit grid past) in
      let! (over_future, futures) := inside "future" (read_side n F unit grid future) in
      let! (v, claimed) := inside "level" (read_level bits level) in
      let! _ := require (is_square n pasts && is_square n futures) "square tables are expected" in
      let! _ := inside "past" (require (side_holds B unit over_past pasts) "a ratio is not proved")
        in
      let! _ := inside "future" (require (side_holds F unit over_future futures)
        "a ratio is not proved") in
      let! _ := inside "level" (require (products_at_most budget claimed pasts futures)
        "it is not proved") in
      Done (Tight_forever (given B) (given F) e v)
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma read_correlation_sound j M : read_correlation j = Done M ->
  well_formed (List.length (given M)) M.
Proof.
  intros H. destruct j; try (apply read_matrix_sound in H; apply H). injection H as <-.
    repeat split; simpl in *; try lia.
Qed.

Lemma read_known_sound backward forward B F : read_known backward forward = Done (B, F) ->
  well_formed (List.length (given B)) B /\ well_formed (List.length (given F)) F /\
    same_size B F = true.
Proof.
  unfold read_known. intros H. step H. injection H as <- <-. clean.
  repeat match goal with E : read_correlation _ = Done _ |- _ => apply read_correlation_sound in
    E end. auto.
Qed.

Lemma size_left B F : given B <> [] -> same_size B F = true -> size B F = List.length (given B).
Proof.
  unfold same_size, size. destruct (given B) as [|b bs]; [congruence|]. intros _ H.
  destruct (given F) as [|f fs]; [simpl; lia|]. apply Nat.eqb_eq in H. rewrite <- H.
    apply Nat.max_id.
Qed.
Lemma size_right B F : given F <> [] -> same_size B F = true -> size B F = List.length (given F).
Proof.
  unfold same_size, size. destruct (given F) as [|f fs]; [congruence|]. intros _ H.
  destruct (given B) as [|b bs]; [reflexivity|]. apply Nat.eqb_eq in H. rewrite H.
    apply Nat.max_id.
Qed.

(** h as a vector, at some scale. *)
Definition as_vector (h : list Z) : nat -> R := fun a => IZR (nth a h 0%Z).

Lemma lowers_sound M unit budget theta h e : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> 1 <= e -> e * IZR unit <= IZR budget -> List.length h = n ->
  lowers n M unit budget theta h = true ->
  forall a, (a < n)%nat -> step n (of_matrix (given M)) e (as_vector h) a <= of_rational theta *
    as_vector h a.
Proof.
  intros n HM Hu He Hb Eh H a Ha. destruct HM as [Hc [El Hall]]. fold n in El, Hall.
  unfold lowers in H. set (f := fun x : Z => if (0 <? x)%Z then (x * budget)%Z else (x * unit)%Z)
    in *.
  assert (Hrows : forall b, (b < List.length (units M))%nat -> List.length (nth b (units M) []) =
    n).
  { intros b Hb'. apply Hall. lia. }
  destruct (add_rows_spec n (units M) (map f h) (repeat 0%Z n) a Hrows ltac:(rewrite map_length;
    congruence) (repeat_length _ _)) as [Hlen Hspec].
  rewrite forallb_forall in H.
  specialize (H (nth a (add_rows (units M) (map f h) (repeat 0%Z n)) 0%Z, nth a h 0%Z)
    (in_combine_nth (add_rows (units M) (map f h) (repeat 0%Z n)) h a 0%Z 0%Z ltac:(lia)
      ltac:(lia))). cbv beta iota in H.
  apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. rewrite Hspec in H.
  replace (nth a (repeat 0%Z n) 0%Z) with 0%Z in H by (symmetry; apply nth_repeat).
    rewrite Rplus_0_l, El in H.
  apply IZR_lt in Hc, Hu. pose proof (IZR_pos (snd theta)) as Ht.
  assert (Hsum : step n (of_matrix (given M)) e (as_vector h) a * (IZR (common M) * IZR unit) <=
    sum n (fun b => IZR (nth a (nth b (units M) []) 0%Z) * IZR (nth b (map f h) 0%Z))).
  { unfold step, back. rewrite <- sum_scale_r. apply sum_le. intros b Hb'.
    destruct (Hall b Hb') as [_ [[Hnn _] Hub]].
    specialize (Hub a). unfold units_of in Hub. rewrite Hub. specialize (Hnn a Ha).
    rewrite (nth_indep _ 0%Z (f 0%Z)) by (rewrite map_length; lia). rewrite map_nth.
      unfold Phi, as_vector, f.
    set (x := nth b h 0%Z).
    replace (of_matrix (given M) b a * (if Rlt_dec 0 (IZR x) then e * IZR x else IZR x) *
      (IZR (common M) * IZR unit))
      with (IZR (common M) * of_matrix (given M) b a * ((if Rlt_dec 0 (IZR x) then e * IZR x
        else IZR x) * IZR unit)) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    destruct (Z.ltb_spec 0 x) as [Hx|Hx]; rewrite mult_IZR.
    - apply IZR_lt in Hx. destruct (Rlt_dec 0 (IZR x)); [|lra].
      replace (e * IZR x * IZR unit) with (IZR x * (e * IZR unit)) by ring.
        apply Rmult_le_compat_l; lra.
    - apply IZR_le in Hx. destruct (Rlt_dec 0 (IZR x)); lra. }
  set (S := step n (of_matrix (given M)) e (as_vector h) a) in *.
  assert (Hall' : S * (IZR (common M) * IZR unit) * IZR (Z.pos (snd theta)) <= IZR (fst theta) *
    IZR (nth a h 0%Z) * IZR (common M) * IZR unit).
  { eapply Rle_trans; [apply Rmult_le_compat_r; [lra|exact Hsum]|]. exact H. }
  unfold of_rational, as_vector.
  apply Rmult_le_reg_r with (IZR (common M) * IZR unit * IZR (Z.pos (snd theta)));
    [repeat apply Rmult_lt_0_compat; assumption|].
  replace (IZR (fst theta) / IZR (Z.pos (snd theta)) * IZR (nth a h 0%Z) * (IZR (common M) * IZR
    unit * IZR (Z.pos (snd theta))))
    with (IZR (fst theta) * IZR (nth a h 0%Z) * IZR (common M) * IZR unit) by (field; lra). lra.
Qed.

Lemma units_of_turns_positive turns c unit : (0 < c)%Z -> (0 < unit)%Z ->
  (0 < units_of_turns turns c unit)%Z.
Proof. intros Hc Hu. induction turns as [|r IH]; cbn; nia. Qed.

Lemma after_turns_sound M unit budget e c z turns : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> 1 <= e -> e * IZR unit <= IZR budget -> above n unit c z ->
  above n unit (steps n (of_matrix (given M)) e turns c) (after_turns turns n M unit budget z).
Proof.
  intros n HM Hu He Hb Hz. induction turns as [|r IH]; [exact Hz|]. cbn [after_turns steps].
    unfold step.
  apply stepped_sound; auto. apply weighed_sound; auto.
Qed.

Lemma lowers_in_sound M unit budget theta h e turns : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> 1 <= e -> e * IZR unit <= IZR budget -> List.length h = n ->
  lowers_in turns n M unit budget theta h = true ->
  forall a, (a < n)%nat -> steps n (of_matrix (given M)) e turns (as_vector h) a <= of_rational
    theta * as_vector h a.
Proof.
  intros n HM Hu He Hb Eh H a Ha. unfold lowers_in in H.
    pose proof (units_of_turns_positive turns (common M) unit (proj1 HM) Hu) as Hk.
  set (k := units_of_turns turns (common M) unit) in *. set (exact := map (fun x => (x * k)%Z) h)
    in *.
  set (x := IZR k / IZR unit). apply IZR_lt in Hk as HK. apply IZR_lt in Hu as HU.
  assert (Hx : 0 < x) by (apply Rdiv_lt_0_compat; assumption).
  assert (Hexact : forall b, IZR (nth b exact 0%Z) = x * as_vector h b * IZR unit).
  { intros b. unfold exact, as_vector. change 0%Z with (0 * k)%Z at 1.
    rewrite (map_nth (fun x => (x * k)%Z)), mult_IZR. unfold x. field. lra. }
  assert (H0 : above n unit (fun b => x * as_vector h b) exact).
  { split; [unfold exact; rewrite map_length; assumption|]. intros b _. rewrite Hexact. lra. }
  destruct (after_turns_sound M unit budget e _ exact turns HM Hu He Hb H0) as [Ez Hz].
    fold n in Ez, Hz. specialize (Hz a Ha).
  set (z := after_turns turns n M unit budget exact) in *. rewrite forallb_forall in H.
  specialize (H (nth a z 0%Z, nth a exact 0%Z) (in_combine_nth z exact a 0%Z 0%Z ltac:(lia)
    ltac:(destruct H0; congruence))).
  cbv beta iota in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR, Hexact in H.
    rewrite steps_scaled in Hz by lra.
  pose proof (IZR_pos (snd theta)) as Ht. unfold of_rational.
  set (s := steps n (of_matrix (given M)) e turns (as_vector h) a) in *.
    set (v := as_vector h a) in *.
  apply Rmult_le_reg_r with (x * IZR unit * IZR (Z.pos (snd theta)));
    [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption|].
  replace (IZR (fst theta) / IZR (Z.pos (snd theta)) * v * (x * IZR unit * IZR
    (Z.pos (snd theta))))
    with (IZR (fst theta) * (x * v * IZR unit)) by (field; lra).
  eapply Rle_trans; [|exact H]. replace (s * (x * IZR unit * IZR (Z.pos (snd theta))))
    with (x * s * IZR unit * IZR (Z.pos (snd theta))) by ring.
  apply Rmult_le_compat_r; lra.
Qed.

Lemma stops_sound n unit c z h : (0 < unit)%Z -> above n unit c z -> List.length h = n ->
  stops z h = true ->
  exists g, 0 <= g /\ forall a, (a < n)%nat -> c a <= g * as_vector h a.
Proof.
  intros Hu [Ez Hz] Eh H. unfold stops in H. destruct (least_factor z h 0 1) as [a b].
  apply andb_prop in H. destruct H as [H Hall]. apply andb_prop in H. destruct H as [Ha Hb].
    apply Z.leb_le, IZR_le in Ha.
  apply Z.ltb_lt, IZR_lt in Hb. apply IZR_lt in Hu. exists (IZR a / IZR b / IZR unit). split.
  - apply Rmult_le_pos; [apply Rmult_le_pos; [assumption|]|]; left; apply Rinv_0_lt_compat;
    assumption.
  - intros i Hi. specialize (Hz i Hi). rewrite forallb_forall in Hall.
    specialize (Hall (nth i z 0%Z, nth i h 0%Z) (in_combine_nth z h i 0%Z 0%Z ltac:(lia)
      ltac:(lia))). cbv beta iota in Hall.
    apply Z.leb_le, IZR_le in Hall. rewrite !mult_IZR in Hall. unfold as_vector.
    apply Rmult_le_reg_r with (IZR unit * IZR b); [apply Rmult_lt_0_compat; assumption|].
    replace (IZR a / IZR b / IZR unit * IZR (nth i h 0%Z) * (IZR unit * IZR b))
      with (IZR a * IZR (nth i h 0%Z)) by (field; lra).
    eapply Rle_trans; [|exact Hall]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
Qed.

Definition is_barrier (M : distributions) (e : R) (h : list Z) : Prop :=
  let n := List.length (given M) in
  List.length h = n /\ exists theta d, 0 <= theta < 1 /\ (1 <= d)%nat /\
  forall a, (a < n)%nat -> steps n (of_matrix (given M)) e d (as_vector h) a <= theta * as_vector h
    a.

Lemma over_in_sound M unit budget x barriers : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> 0 <= x -> exp x * IZR unit <= IZR budget ->
    Forall (is_barrier M (exp x)) barriers ->
  forall fuel s c z, above n unit (steps n (of_matrix (given M)) (exp x) s c) z -> over_in
    fuel n M unit budget barriers z = true ->
  forall t, sweep n (fun _ => of_matrix (given M)) (fun _ => x) t c <= 0.
Proof.
  intros n HM Hu Hx Hb Hbar. pose proof (well_formed_stochastic M HM) as HP. fold n in HP.
  induction fuel as [|fuel IH]; intros s c z Hz H; cbn [over_in] in H;
    destruct (existsb (stops z) barriers) eqn:E; try discriminate.
  1, 2: apply existsb_exists in E; destruct E as [h [Hin Hstop]]; rewrite Forall_forall in Hbar;
    specialize (Hbar h Hin);
    destruct Hbar as [Eh [theta [d [Hth [Hd Hstep]]]]]; fold n in Eh, Hstep;
    destruct (stops_sound n unit _ z h Hu Hz Eh Hstop) as [g [Hg Hle]];
    apply (for_ever n (of_matrix (given M)) x c s (fun a => g * as_vector h a) theta d HP Hx Hth Hd
      Hle);
    intros a Ha; rewrite steps_scaled by assumption;
    replace (theta * (g * as_vector h a)) with (g * (theta * as_vector h a)) by ring;
    apply Rmult_le_compat_l; [assumption|auto].
  apply (IH (S s) c (stepped n M (weighed unit budget z))); [|assumption].
  simpl steps. unfold step. apply stepped_sound; auto. apply weighed_sound; auto. apply exp_ratio.
    assumption.
Qed.

Lemma zero_barrier M e : well_formed (List.length (given M)) M ->
  is_barrier M e (repeat 0%Z (List.length (given M))).
Proof.
  intros _. split; [apply repeat_length|]. exists 0, 1%nat. split; [lra|]. split; [lia|].
    intros a Ha. cbn [steps].
  assert (H : forall b, as_vector (repeat 0%Z (List.length (given M))) b = 0) by (intros b;
    unfold as_vector; rewrite nth_repeat; reflexivity).
  rewrite H, Rmult_0_l. right. unfold step, back. rewrite <- (sum_zero (List.length (given M))).
    apply sum_ext. intros b _.
  unfold Phi. rewrite H. destruct (Rlt_dec 0 0); [lra|]. ring.
Qed.

Lemma read_side_sound M unit budget j over table x : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> 0 <= x -> exp x * IZR unit <= IZR budget -> given M <> [] ->
  read_side n M unit budget j = Done (over, table) -> forall t, proves M unit over (fun _ => x) t.
Proof.
  intros n HM Hu Hx Hb Hne H t. unfold read_side in H.
  destruct (Nat.eqb_spec (List.length (given M)) 0) as [E|_]; [destruct (given M);
    [contradiction|discriminate]|].
  apply bind_done in H. destruct H as [l [_ H]]. destruct l as [|s [|b [|ratios []]]];
    try discriminate.
  step H. injection H as <- _. clean.
  match goal with E : forallb _ ?l = true |- _ => rename l into barriers; rename E into Hbars end.
  intros c z Hz Hover. destruct t as [|t]; [exact I|]. unfold n in *.
  eapply (over_in_sound M unit budget x _ HM Hu Hx Hb) with (s := 0%nat); [|exact Hz|exact Hover].
  constructor; [apply zero_barrier; assumption|]. rewrite Forall_forall. intros h Hin.
    apply in_map_iff in Hin.
  destruct Hin as [[[h' theta] turns] [<- Hin]]. rewrite forallb_forall in Hbars.
    apply Hbars in Hin. cbn [fst snd barrier_holds] in *.
  do 4 (apply andb_prop in Hin; destruct Hin as [Hin ?]). apply Nat.eqb_eq in Hin.
    split; [assumption|].
  match goal with E : Nat.leb 1 turns = true |- _ => apply Nat.leb_le in E end.
  exists (of_rational theta), turns. split; [|split; [assumption|]].
  - unfold of_rational. pose proof (IZR_pos (snd theta)).
    match goal with E1 : (0 <=? _)%Z = true, E2 : (_ <? _)%Z = true |- _ => apply Z.leb_le, IZR_le
      in E1; apply Z.ltb_lt, IZR_lt in E2 end.
    split; [apply Rmult_le_pos; [assumption|]; left; apply Rinv_0_lt_compat; assumption|].
    apply Rmult_lt_reg_r with (IZR (Z.pos (snd theta))); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
  - destruct (Nat.eqb_spec turns 1) as [->|_]; [eapply lowers_sound|eapply lowers_in_sound];
    eauto using exp_ratio.
Qed.

Lemma side_holds_shown M unit over table n e t : well_formed (List.length (given M)) M ->
  (0 < unit)%Z -> square n table -> (given M = [] \/ List.length (given M) = n) ->
  side_holds M unit over table = true -> (given M <> [] -> proves M unit over e t) ->
  side_shown n (Constant (given M)) (fun _ => of_matrix (given M)) e t table.
Proof.
  intros HM Hu Ht Hn H Hover. unfold side_holds in H. unfold side_shown, values_in. cbn [at_step].
  destruct (empty_or (given M)) as [E|N].
  - rewrite E in *. split; [apply at_least_one_sound; assumption|left; reflexivity].
  - destruct Hn as [|<-]; [contradiction|].
    assert (H' : all_pairs M unit table over = true) by (destruct (given M);
      [contradiction|assumption]).
    split; [eapply all_pairs_one; eassumption|]. right. split; [reflexivity|].
    eapply all_pairs_shown; eauto.
Qed.

Lemma check_tight_forever_sound l c : check_tight_forever l = Done c -> holds c.
Proof.
  unfold check_tight_forever. intros H. do 8 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean.
  match goal with E : read_known _ _ = Done (?one, ?other) |- _ =>
    rename one into B, other into F; destruct (read_known_sound _ _ _ _ E) as [HB [HF Hsize]] end.
  intros x T t Hx Ht.
  match goal with E : (0 <? snd (high ?b))%Z = true, He : encloses ?b (of_level ?l), Hl :
    nonneg (of_level ?l) |- _ =>
    rename b into budget; apply Z.ltb_lt in E;
    assert (Hbudget : encloses budget (Some x) /\ 0 <= x);
    [unfold stands_for in Hx; destruct (of_level l) as [y|]; [destruct Hx as [Hx0 ->];
      auto|destruct He as [_ [_ [_ [_ Hinf]]]]; lia]|]
  end.
  destruct Hbudget as [Hbudget Hx0].
  match goal with E : digits _ = Done ?b |- _ => pose proof (two_to_positive b) as Hu;
    set (unit := two_to b) in * end.
  assert (Hgrid : exp x * IZR unit <= IZR (on_grid unit budget)) by (apply on_grid_sound;
    assumption).
  match goal with E1 : read_side _ B _ _ _ = Done (?over, ?past), E2 : read_side _ F _ _ _ = Done
    (?over', ?future), E3 : _ && _ = true,
    E6 : products_at_most _ ?claimed _ _ = true |- _ =>
      apply andb_prop in E3; destruct E3 as [Sp Sf]; apply is_square_sound in Sp;
      apply is_square_sound in Sf;
      apply (sides_sound (Constant (given B)) (Constant (given F)) budget claimed past future
        (fun _ => x));
      auto
  end.
  - eapply side_holds_shown; [exact HB|exact Hu|exact Sp| |eassumption|].
    + destruct (empty_or (given B)); [left; assumption|right]. symmetry.
      apply size_left; assumption.
    + intros NB. rewrite (size_left B F NB) in * by assumption.
      eapply read_side_sound; eassumption.
  - eapply side_holds_shown; [exact HF|exact Hu|exact Sf| |eassumption|].
    + destruct (empty_or (given F)); [left; assumption|right]. symmetry.
      apply size_right; assumption.
    + intros NF. rewrite (size_right B F NF) in * by assumption. unfold turned.
      eapply read_side_sound; eassumption.
Qed.
