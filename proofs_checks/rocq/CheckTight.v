(** The verified checker on the tight leakage: sweeps in integers, rounded upward. *)

From TPL Require Export CheckLeakage.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** Sweeps *)

(** Phi(c), in units of 1/unit; budget: e^epsilon in these units. *)
Definition weighed (unit budget : Z) (c : list Z) : list Z := map (fun x => if 0 <? x
  then divide true (x * budget) unit else x) c.

(** c + z row. *)
Fixpoint add_scaled (z : Z) (row c : list Z) : list Z :=
  match row, c with r :: row', x :: c' => (x + z * r) :: add_scaled z row' c' | _, _ => c end.
(** c + P^T x. *)
Fixpoint add_rows (rows : list (list Z)) (x c : list Z) : list Z :=
  match rows, x with row :: rows', z :: x' => add_rows rows' x' (add_scaled z row c) | _, _ =>
    c end.
Definition stepped (n : nat) (M : distributions) (x : list Z) : list Z :=
  map (fun z => divide true z (common M)) (add_rows (units M) x (repeat 0 n)).

(** The releases on one side of a time, the nearest first: the matrix of the step to each, and
    e^epsilon of it in units of 1/unit. *)
Definition releases := list (distributions * Z).

(** A sweep from a release of this budget on, and over the rest. *)
Fixpoint swept (n : nat) (unit budget : Z) (rest : releases) (c : list Z) : bool :=
  forallb (fun x => x <=? 0) c ||
  (let x := weighed unit budget c in
   match rest with
   | [] => added x <=? 0
   | (M, b) :: rest' => swept n unit b rest' (stepped n M x)
   end).

(** q - lambda d, in units of 1/unit. *)
Fixpoint first_difference (M : distributions) (unit : Z) (lambda : rational) (q d : list Z) :
  list Z :=
  match q, d with
  | x :: q', y :: d' =>
      divide true ((Zpos (snd lambda) * x - fst lambda * y) * unit) (Zpos (snd lambda) * common M)
        :: first_difference M unit lambda q' d'
  | _, _ => []
  end.

(** Each pair of values has a ratio of 1 or more that `over` accepts of its first difference; 1
    where the values are one. *)
Definition all_pairs (M : distributions) (unit : Z) (table : list (list rational)) (over :
  list Z -> bool) : bool :=
  let n := List.length (units M) in
  forallb (fun one =>
    let '(j, (q, ratios)) := one in
    forallb (fun other =>
      let '(k, (d, lambda)) := other in
      if Nat.eqb j k then fst lambda =? Zpos (snd lambda)
      else (Zpos (snd lambda) <=? fst lambda) && over (first_difference M unit lambda q d))
      (combine (seq 0 n) (combine (units M) ratios)))
    (combine (seq 0 n) (combine (units M) table)).

(** ** worst-case-upper *)

Definition every_step := "each matrix is that of all steps".
Definition own_step := "each matrix is that of its step".
Definition not_adaptive := "mechanisms after a time do not depend on earlier outputs".

Fixpoint texts_are (expected : list string) (l : list json) : bool :=
  match expected, l with
  | [], [] => true
  | s :: expected', Text t :: l' => String.eqb s t && texts_are expected' l'
  | _, _ => false
  end.
Definition assumes (expected : list string) (j : json) : result unit :=
  match j with
  | Items l => require (texts_are expected l) "other texts are expected"
  | _ => Rejected "" "an array is expected"
  end.

Definition ones (n : nat) : list (list rational) := repeat (repeat (1, 1%positive) n) n.
Definition is_square (n : nat) (table : list (list rational)) : bool :=
  Nat.eqb (List.length table) n && forallb (fun row => Nat.eqb (List.length row) n) table.
Definition read_table (n : nat) (j : json) : result (list (list rational)) :=
  let! l := items_exactly n j in
  let! table := each (fun row => let! entries := items_exactly n row in each number entries) l in
  let! _ := require (is_square n table) "a square table is expected" in
  Done table.

(** A table for each of so many times; where there is no matrix null is expected, and nothing is
    between two values. *)
Definition read_tables (n count : nat) (k : correlation) (j : json) :
  result (list (list (list rational))) :=
  match values_in k with
  | O => match j with Null => Done (repeat (ones n) count) | _ =>
    Rejected "" "null is expected: there is no matrix" end
  | _ => let! l := items_exactly count j in each (read_table n) l
  end.

(** e^epsilon in units of 1/unit, rounded upward. *)
Definition on_grid (unit : Z) (e : enclosure) : Z := divide true (fst (high e) * unit)
  (snd (high e)).

(** What the two ratios of each pair and the budget come to is at most the claim. *)
Definition products_at_most (budget claimed : enclosure) (past future : list (list rational)) :
  bool :=
  at_most budget claimed &&
  forallb (fun rows => forallb (fun pair =>
    let '(x, y) := pair in
    let p := (fst x * fst y, Zpos (snd x) * Zpos (snd y)) in
    if fst p =? snd p then true else (0 <? fst p) && at_most (plus budget (of_ratio p)) claimed)
      (combine (fst rows) (snd rows))) (combine past future).

(** Where every budget is 0 each ratio of 1 or more holds: what a sweep would round is left out. *)
Definition unspent (unit : Z) (one : releases) : bool := forallb (fun r => snd r <=? unit) one.
Definition ratio_of (table : list (list rational)) (j k : nat) : rational := nth k (nth j table [])
  (1, 1%positive).
Definition at_least_one (table : list (list rational)) : bool :=
  forallb (forallb (fun x => Zpos (snd x) <=? fst x)) table &&
  forallb (fun j => fst (ratio_of table j j) =? Zpos (snd (ratio_of table j j)))
    (seq 0 (List.length table)).
Definition check_side (n : nat) (unit : Z) (one : releases) (table : list (list rational)) :
  bool :=
  match one with
  | [] => at_least_one table
  | (M, b) :: rest =>
      all_pairs M unit table (if unspent unit one then fun _ => true else swept n unit b rest)
  end.

(** The times t, counted from 0, one after the other: the releases before; the matrices of the
    steps from here on; the budget; the rest. *)
Fixpoint check_times (n : nat) (unit : Z) (claimed : enclosure) (before : releases) (Bs Fs :
  list distributions) (budgets : list (enclosure * Z)) (tables :
    list (option (list (list rational) * list (list rational)))) : bool :=
  match budgets, tables with
  | [], [] => true
  | (budget, z) :: budgets', one :: tables' =>
      match one with
      | None => true
      | Some (past, future) =>
          is_square n past && is_square n future && check_side n unit before past &&
            check_side n unit (combine Fs (map snd budgets')) future &&
            products_at_most budget claimed past future
      end &&
      check_times n unit claimed (match Bs with M :: _ => (M, z) :: before | [] => before end)
        (tl Bs) (tl Fs) budgets' tables'
  | _, _ => false
  end.

Definition finite (levels : list (written_level * enclosure)) : bool := forallb (fun l =>
  0 <? snd (high (snd l))) levels.

Definition about_steps (B F : correlation) : string :=
  if is_one B && is_one F then every_step else own_step.
(** What the kinds about a sequence of budgets begin with. *)
Definition read_stream (digit epsilons backward forward : json)
  : result (Z * list (written_level * enclosure) *
      ((correlation * list distributions) * (correlation * list distributions))) :=
  let! bits := inside "digits" (digits digit) in
  let! asked := inside "epsilons" (some_items most_steps epsilons) in
  let! budgets := inside "epsilons" (each (read_level bits) asked) in
  let! _ := inside "epsilons" (require (finite budgets) "finite levels are expected") in
  let count := (List.length budgets - 1)%nat in
  let! B := inside "backward" (read_side_steps count backward) in
  let! F := inside "forward" (read_side_steps count forward) in
  let! _ := inside "forward" (require (same_values (fst B) (fst F))
    "it is not as large as the other matrix") in
  Done (bits, budgets, (B, F)).
Definition check_tight_upper (l : list json) : result claim :=
  match l with
  | [d; assumed; backward; forward; epsilons; time; past; future; level] =>
      let! (bits, budgets, (B, F)) := read_stream d epsilons backward forward in
      let! _ := inside "assumed" (assumes [about_steps (fst B) (fst F); not_adaptive] assumed) in
      let n := values_of_both (fst B) (fst F) in
      let count := List.length budgets in
      let! t := inside "time" (match time with
        | Null => Done None
        | _ => let! t := integer 1 (Z.of_nat count) time in Done (Some (Z.to_nat (t - 1)))
        end) in
      let tables := match t with None => count | _ => 1%nat end in
      let! pasts := inside "past" (read_tables n tables (fst B) past) in
      let! futures := inside "future" (read_tables n tables (fst F) future) in
      let! (v, claimed) := inside "level" (read_level bits level) in
      let unit := two_to bits in
      let both := match t with
        | None => map Some (combine pasts futures)
        | Some t0 => (repeat None t0 ++ map Some (combine pasts futures) ++
          repeat None (count - t0 - 1))%list
        end in
      let! _ := require (check_times n unit claimed [] (snd B) (snd F) (map (fun b =>
        (snd b, on_grid unit (snd b))) budgets) both)
        "a ratio or the level is not proved" in
      Done (Tight_upper (fst B) (fst F) (map fst budgets) t v)
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

(** The integers z are at least c, in units. *)
Definition above (n : nat) (unit : Z) (c : nat -> R) (z : list Z) : Prop :=
  List.length z = n /\ forall a, (a < n)%nat -> c a * IZR unit <= IZR (nth a z 0%Z).

Lemma weighed_sound n unit budget e c z : (0 < unit)%Z -> 1 <= e -> e * IZR unit <= IZR budget ->
  above n unit c z -> above n unit (Phi e c) (weighed unit budget z).
Proof.
  intros Hu He Hb [El H]. split; [unfold weighed; rewrite map_length; assumption|]. intros a Ha.
    specialize (H a Ha).
  unfold weighed. set (f := fun x : Z => if (0 <? x)%Z then divide true (x * budget) unit else x).
  rewrite (nth_indep _ 0%Z (f 0%Z)) by (rewrite map_length; lia). rewrite map_nth.
    set (x := nth a z 0%Z) in *. unfold f.
  apply IZR_lt in Hu as HU. unfold Phi. destruct (Z.ltb_spec 0 x) as [Hx|Hx].
  - pose proof (divide_up (x * budget) unit Hu) as Hd. rewrite mult_IZR in Hd.
    set (y := IZR (divide true (x * budget) unit)) in *.
    apply IZR_lt in Hx. assert (HxE : IZR x * (e * IZR unit) <= IZR x * IZR budget)
      by (apply Rmult_le_compat_l; lra).
    assert (Hxy : IZR x * e <= y) by (apply Rmult_le_reg_r with (IZR unit); [assumption|lra]).
    destruct (Rlt_dec 0 (c a)) as [Hc|Hc].
    + apply Rle_trans with (IZR x * e); [|assumption]. replace (e * c a * IZR unit)
      with (c a * IZR unit * e) by ring.
      apply Rmult_le_compat_r; lra.
    + apply Rle_trans with 0; [|apply Rle_trans with (IZR x * e); [apply Rmult_le_pos;
      lra|assumption]].
      assert (0 <= - c a * IZR unit) by (apply Rmult_le_pos; lra). lra.
  - apply IZR_le in Hx. destruct (Rlt_dec 0 (c a)) as [Hc|Hc]; [|assumption].
    assert (0 < c a * IZR unit) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma add_scaled_length z row c : List.length (add_scaled z row c) = List.length c.
Proof. revert c. induction row as [|r row IH]; intros [|x c]; simpl; auto. Qed.

Lemma add_scaled_nth z row c a : List.length row = List.length c ->
  nth a (add_scaled z row c) 0%Z = (nth a c 0 + z * nth a row 0)%Z.
Proof.
  revert c a. induction row as [|r row IH]; intros [|x c] a E; simpl in E; try discriminate.
  - destruct a; simpl; ring.
  - destruct a as [|a]; simpl; [reflexivity|]. apply IH. congruence.
Qed.

Lemma add_rows_spec n rows x c a : (forall b, (b < List.length rows)%nat ->
  List.length (nth b rows []) = n) ->
  List.length x = List.length rows -> List.length c = n ->
  List.length (add_rows rows x c) = n /\
  IZR (nth a (add_rows rows x c) 0%Z) =
  IZR (nth a c 0%Z) + sum (List.length rows) (fun b => IZR (nth a (nth b rows []) 0%Z) * IZR
    (nth b x 0%Z)).
Proof.
  revert x c. induction rows as [|row rows IH]; intros [|z x] c Hr Ex Ec; simpl in Ex;
    try discriminate.
  - simpl. split; [assumption|ring].
  - cbn [add_rows List.length]. assert (Erow : List.length row = n) by (apply (Hr 0%nat); simpl;
    lia).
    destruct (IH x (add_scaled z row c)) as [H1 H2].
    + intros b Hb. apply (Hr (S b)). simpl. lia.
    + congruence.
    + rewrite add_scaled_length. assumption.
    + split; [assumption|]. rewrite H2, add_scaled_nth, sum_first, plus_IZR, mult_IZR
      by congruence. cbn [nth]. ring.
Qed.

Lemma stepped_sound M unit c z : let n := List.length (given M) in well_formed n M ->
  (0 < unit)%Z -> above n unit c z ->
  above n unit (back n (of_matrix (given M)) c) (stepped n M z).
Proof.
  intros n [Hc [El Hall]] Hu [Ez H]. fold n in El, Hall. unfold stepped.
  assert (Hrows : forall b, (b < List.length (units M))%nat -> List.length (nth b (units M) []) =
    n).
  { intros b Hb. apply Hall. lia. }
  assert (Hspec : forall a, List.length (add_rows (units M) z (repeat 0%Z n)) = n /\
    IZR (nth a (add_rows (units M) z (repeat 0%Z n)) 0%Z) = IZR (nth a (repeat 0%Z n) 0%Z) +
      sum (List.length (units M)) (fun b => IZR (nth a (nth b (units M) []) 0%Z) * IZR
        (nth b z 0%Z))).
  { intros a. apply add_rows_spec; auto; [congruence|apply repeat_length]. }
  split; [rewrite map_length; apply (Hspec 0%nat)|]. intros a Ha.
  rewrite (nth_indep _ 0%Z ((fun z => divide true z (common M)) 0%Z)) by (rewrite map_length;
    destruct (Hspec 0%nat); lia).
  rewrite (map_nth (fun z => divide true z (common M))).
  destruct (Hspec a) as [_ Ha']. set (y := nth a (add_rows (units M) z (repeat 0%Z n)) 0%Z) in *.
  pose proof (divide_up y (common M) Hc) as Hd. apply IZR_lt in Hc, Hu.
  apply Rmult_le_reg_r with (IZR (common M)); [assumption|]. eapply Rle_trans; [|exact Hd].
  rewrite Ha'. replace (nth a (repeat 0%Z n) 0%Z) with 0%Z by (symmetry; apply nth_repeat).
    rewrite Rplus_0_l, El.
  unfold back. rewrite <- !sum_scale_r. apply sum_le. intros b Hb.
  destruct (Hall b Hb) as [_ [[Hnn _] Hub]]. specialize (Hub a). unfold units_of in Hub.
    rewrite Hub.
  replace (of_matrix (given M) b a * c b * IZR unit * IZR (common M))
    with (IZR (common M) * of_matrix (given M) b a * (c b * IZR unit)) by ring.
  apply Rmult_le_compat_l; [|apply H; assumption]. apply Rmult_le_pos; [lra|]. apply Hnn.
    assumption.
Qed.

Lemma Phi_nonpos e c a : c a <= 0 -> Phi e c a <= 0.
Proof. intros H. unfold Phi. destruct (Rlt_dec 0 (c a)); lra. Qed.

Lemma sweep_nonpos n P e s c : (forall r, (r < s)%nat -> stochastic n (P r)) ->
  (forall a, (a < n)%nat -> c a <= 0) -> sweep n P e s c <= 0.
Proof.
  revert c. induction s as [|s IH]; intros c HP H; simpl.
  - rewrite <- (sum_zero n). apply sum_le. intros a Ha. apply Phi_nonpos. auto.
  - apply IH; [auto|]. intros a Ha. unfold back. rewrite <- (sum_zero n). apply sum_le.
    intros b Hb. pose proof (Phi_nonpos (exp (e (S s))) c b (H b Hb)).
    pose proof (proj1 (HP s (le_n _) b Hb) a Ha). nra.
Qed.

Lemma nonpos_sound n unit c z : (0 < unit)%Z -> above n unit c z -> forallb (fun x => (x <=? 0)%Z)
  z = true ->
  forall a, (a < n)%nat -> c a <= 0.
Proof.
  intros Hu [El H] Hz a Ha. rewrite forallb_forall in Hz. specialize (H a Ha).
  assert (Hin : In (nth a z 0%Z) z) by (apply nth_In; lia). apply Hz, Z.leb_le, IZR_le in Hin.
    apply IZR_lt in Hu.
  destruct (Rle_dec (c a) 0) as [?|N]; [assumption|exfalso].
  assert (0 < c a * IZR unit) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** The releases are those of a time with h of them there, P and e counted from the farthest, and
    budgets not less than e. *)
Fixpoint describes (n : nat) (P : nat -> nat -> nat -> R) (unit : Z) (e : nat -> R) (h : nat)
  (one : releases) : Prop :=
  match h, one with
  | O, [] => True
  | S s, (M, b) :: rest =>
      (List.length (given M) = n /\ well_formed n M /\ of_matrix (given M) = P s) /\
      exp (e s) * IZR unit <= IZR b /\ describes n P unit e s rest
  | _, _ => False
  end.

Lemma describes_stochastic n P unit e h one : describes n P unit e h one ->
  forall r, (r < h)%nat -> stochastic n (P r).
Proof.
  revert one. induction h as [|s IH]; intros one H r Hr; [lia|].
  destruct one as [|[M b] rest]; [contradiction|]. destruct H as [[En [HM EP]] [_ H]].
  destruct (Nat.eq_dec r s) as [->|N]; [|apply (IH rest H); lia].
  rewrite <- EP, <- En in *. apply well_formed_stochastic. assumption.
Qed.

Lemma swept_sound n P unit e : (0 < unit)%Z -> (forall s, 0 <= e s) -> forall rest s b c z,
  describes n P unit e s rest -> exp (e s) * IZR unit <= IZR b -> above n unit c z ->
  swept n unit b rest z = true -> sweep n P e s c <= 0.
Proof.
  intros Hu He. induction rest as [|[M b'] rest IH]; intros s b c z Hd Hb Hz H;
    cbn [swept] in H; apply orb_prop in H;
    (destruct H as [H|H]; [apply sweep_nonpos; [exact (describes_stochastic n P unit e s _ Hd)|];
      eapply nonpos_sound; eassumption|]);
    pose proof (weighed_sound n unit b (exp (e s)) c z Hu (exp_ratio _ (He s)) Hb Hz) as Hw.
  - destruct s; [|contradiction]. simpl. apply Z.leb_le, IZR_le in H.
    unfold added in H. rewrite added_spec in H. destruct Hw as [Ew Hw]. rewrite Ew in H.
    apply IZR_lt in Hu.
    apply Rmult_le_reg_r with (IZR unit); [assumption|]. rewrite Rmult_0_l, <- sum_scale_r.
    eapply Rle_trans; [apply sum_le; exact Hw|]. rewrite Rplus_0_l in H. exact H.
  - destruct s as [|s]; [contradiction|]. destruct Hd as [[En [HM EP]] [Hb' Hd]]. cbn [sweep].
    rewrite <- EP. apply (IH s b' _ (stepped n M (weighed unit b z))); auto.
    rewrite <- En in *. apply stepped_sound; assumption.
Qed.

Lemma first_difference_sound M unit lambda j k : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> (j < n)%nat -> (k < n)%nat ->
  above n unit (difference (of_matrix (given M)) j k (of_rational lambda))
    (first_difference M unit lambda (nth j (units M) []) (nth k (units M) [])).
Proof.
  intros n [Hc [El Hall]] Hu Hj Hk. fold n in El, Hall. destruct (Hall j Hj) as [Ej [_ Huj]].
    destruct (Hall k Hk) as [Ek [_ Huk]].
  unfold units_of in Huj, Huk. set (q := nth j (units M) []) in *. set (d := nth k (units M) []) in
    *.
  assert (H : forall q d, List.length q = List.length d ->
    List.length (first_difference M unit lambda q d) = List.length q /\
    forall a, (a < List.length q)%nat -> nth a (first_difference M unit lambda q d) 0%Z =
      divide true ((Zpos (snd lambda) * nth a q 0 - fst lambda * nth a d 0) * unit)%Z
        (Zpos (snd lambda) * common M)%Z).
  { clear. induction q as [|x q IH]; intros [|y d] E; simpl in E; try discriminate.
    - split; [reflexivity|]. simpl. lia.
    - destruct (IH d ltac:(congruence)) as [H1 H2]. split; [cbn [first_difference List.length];
      congruence|].
      intros [|a] Ha; [reflexivity|]. cbn [first_difference nth]. apply H2. simpl in Ha. lia. }
  destruct (H q d ltac:(congruence)) as [H1 H2]. split; [congruence|]. intros a Ha.
    rewrite H2 by congruence.
  specialize (Huj a). specialize (Huk a). pose proof (IZR_pos (snd lambda)) as HL.
  pose proof (divide_up ((Zpos (snd lambda) * nth a q 0 - fst lambda * nth a d 0) * unit)%Z
    (Zpos (snd lambda) * common M)%Z
    ltac:(apply Z.mul_pos_pos; lia)) as Hd.
  rewrite !mult_IZR, minus_IZR, !mult_IZR, Huj, Huk in Hd. apply IZR_lt in Hc, Hu.
  apply Rmult_le_reg_r with (IZR (Zpos (snd lambda)) * IZR (common M)); [apply Rmult_lt_0_compat;
    assumption|].
  eapply Rle_trans; [|exact Hd]. right. unfold difference, of_rational. field. lra.
Qed.

Definition square (n : nat) (table : list (list rational)) : Prop :=
  List.length table = n /\ forall j, (j < n)%nat -> List.length (nth j table []) = n.

Lemma all_pairs_sound M unit table over j k : let n := List.length (given M) in
  well_formed n M -> square n table -> all_pairs M unit table over = true -> (j < n)%nat ->
    (k < n)%nat ->
  (j = k -> of_rational (ratio_of table j k) = 1) /\
  (j <> k -> 1 <= of_rational (ratio_of table j k) /\
     over (first_difference M unit (ratio_of table j k) (nth j (units M) []) (nth k (units M) []))
       = true).
Proof.
  intros n [Hc [El Hall]] [Et Hrows] H Hj Hk. fold n in El, Hall. unfold all_pairs in H.
    rewrite El in H.
  rewrite forallb_forall in H.
  specialize (H (nth j (seq 0 n) 0%nat, nth j (combine (units M) table) ([], []))).
  rewrite combine_nth, seq_nth in H by congruence || lia. simpl plus in H.
  assert (H1 : In (j, (nth j (units M) [], nth j table [])) (combine (seq 0 n) (combine (units M)
    table))).
  { pose proof (in_combine_nth (seq 0 n) (combine (units M) table) j 0%nat ([], [])) as Hi.
    rewrite combine_nth, seq_nth in Hi by congruence || lia. apply Hi; rewrite ?seq_length,
      ?combine_length; lia. }
  specialize (H H1). cbv beta iota in H. rewrite forallb_forall in H.
  assert (H2 : In (k, (nth k (units M) [], ratio_of table j k)) (combine (seq 0 n)
    (combine (units M) (nth j table [])))).
  { pose proof (in_combine_nth (seq 0 n) (combine (units M) (nth j table [])) k 0%nat ([],
    (1%Z, 1%positive))) as Hi.
    rewrite combine_nth, seq_nth in Hi by (rewrite ?Hrows; congruence || lia).
    apply Hi; rewrite ?seq_length, ?combine_length, ?Hrows; lia. }
  specialize (H _ H2). cbv beta iota in H. change (0 + j)%nat with j in H. unfold of_rational.
    pose proof (IZR_pos (snd (ratio_of table j k))) as HL.
  destruct (Nat.eqb_spec j k) as [E|N]; split; intros Hjk; try contradiction.
  - apply Z.eqb_eq in H. rewrite H. field. lra.
  - apply andb_prop in H. destruct H as [Ha Hb]. split; [|assumption]. apply Z.leb_le, IZR_le in
    Ha.
    apply Rmult_le_reg_r with (IZR (Z.pos (snd (ratio_of table j k)))); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** ** What holds of every mechanism *)

Lemma sweep_same n B P e s c c' : (forall r a b, (r < s)%nat -> (a < n)%nat -> (b < n)%nat ->
  B r a b = P r a b) ->
  (forall a, (a < n)%nat -> c a = c' a) -> sweep n B e s c = sweep n P e s c'.
Proof.
  revert c c'. induction s as [|s IH]; intros c c' HB Hc; simpl.
  - apply sum_ext. intros a Ha. apply Phi_ext. auto.
  - apply IH; [intros; apply HB; auto|]. intros a Ha. apply sum_ext. intros b Hb.
    rewrite HB by (auto; lia).
    f_equal. apply Phi_ext. auto.
Qed.

(** What a table has shown of the releases on one side of a time: h of them, budgets e. *)
Definition shown (n : nat) (P : nat -> nat -> nat -> R) (e : nat -> R) (h : nat) (table :
  list (list rational)) : Prop :=
  forall j k, (j < n)%nat -> (k < n)%nat -> j <> k ->
  match h with
  | O => True
  | S s => sweep n P e s (difference (P s) j k (of_rational (ratio_of table j k))) <= 0
  end.
Definition ratios_one (n : nat) (table : list (list rational)) : Prop :=
  forall j k, (j < n)%nat -> (k < n)%nat -> 1 <= of_rational (ratio_of table j k).

(** Where all vectors that are accepted are swept, with one matrix at all steps. *)
Definition proves (M : distributions) (unit : Z) (over : list Z -> bool) (e : nat -> R) (h : nat) :
  Prop :=
  forall c z, above (List.length (given M)) unit c z -> over z = true ->
  match h with
  | O => True
  | S s => sweep (List.length (given M)) (fun _ => of_matrix (given M)) e s c <= 0
  end.

Lemma all_pairs_one M unit table over : let n := List.length (given M) in well_formed n M ->
  square n table -> all_pairs M unit table over = true -> ratios_one n table.
Proof.
  intros n HM Ht H j k Hj Hk. destruct (all_pairs_sound M unit table over j k HM Ht H Hj Hk)
    as [H1 H2].
  destruct (Nat.eq_dec j k) as [E|N]; [rewrite (H1 E); lra|apply (H2 N)].
Qed.

Lemma all_pairs_shown M unit table over e h : let n := List.length (given M) in well_formed n M ->
  (0 < unit)%Z -> square n table -> all_pairs M unit table over = true -> proves M unit over e h ->
  shown n (fun _ => of_matrix (given M)) e h table.
Proof.
  intros n HM Hu Ht H Hover j k Hj Hk N.
  destruct (all_pairs_sound M unit table over j k HM Ht H Hj Hk) as [_ H2].
  exact (Hover _ _ (first_difference_sound M unit (ratio_of table j k) j k HM Hu Hj Hk)
    (proj2 (H2 N))).
Qed.

Lemma square_ratio n table j k : square n table ->
  forallb (forallb (fun x => (Zpos (snd x) <=? fst x)%Z)) table = true ->
  (j < n)%nat -> (k < n)%nat -> 1 <= of_rational (ratio_of table j k).
Proof.
  intros [Et Hr] H Hj Hk. rewrite forallb_forall in H.
    specialize (H (nth j table []) ltac:(apply nth_In; lia)).
  rewrite forallb_forall in H. specialize (H (ratio_of table j k) ltac:(apply nth_In;
    rewrite (Hr j Hj); assumption)).
  apply Z.leb_le, IZR_le in H. unfold of_rational. pose proof (IZR_pos (snd (ratio_of table j k))).
  apply Rmult_le_reg_r with (IZR (Z.pos (snd (ratio_of table j k)))); [assumption|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** Budgets of 0 leave the sum as it is. *)
Lemma sweep_unspent n P e s c : (forall r, (r < s)%nat -> stochastic n (P r)) ->
  (forall r, (r <= s)%nat -> e r = 0) -> sweep n P e s c = sum n c.
Proof.
  assert (HPhi : forall c a, Phi (exp 0) c a = c a).
  { intros c' a. unfold Phi. rewrite exp_0. destruct (Rlt_dec 0 (c' a)); ring. }
  revert c. induction s as [|s IH]; intros c HP He; cbn [sweep]; rewrite He by lia.
  - apply sum_ext. intros a _. apply HPhi.
  - rewrite IH by (intros; auto). unfold back. rewrite sum_swap. apply sum_ext.
    intros b Hb. rewrite sum_scale_r, (proj2 (HP s (le_n _) b Hb)), HPhi. ring.
Qed.

Lemma unspent_zero n P unit e : (0 < unit)%Z -> (forall r, 0 <= e r) -> forall h one,
  describes n P unit e h one -> unspent unit one = true -> forall r, (r < h)%nat -> e r = 0.
Proof.
  intros Hu He. induction h as [|s IH]; intros one Hd Hz r Hr; [lia|].
  destruct one as [|[M b] rest]; [contradiction|]. destruct Hd as [_ [Hb Hd]].
  cbn [unspent forallb] in Hz. apply andb_prop in Hz. destruct Hz as [Hz Hrest].
  destruct (Nat.eq_dec r s) as [->|N]; [|apply (IH rest Hd Hrest); lia].
  cbn [snd] in Hz. apply Z.leb_le, IZR_le in Hz. apply IZR_lt in Hu.
  apply Rle_antisym; [|apply He]. apply exp_le_inv. rewrite exp_0.
  apply Rmult_le_reg_r with (IZR unit); [assumption|]. lra.
Qed.

Lemma at_least_one_sound n table : square n table -> at_least_one table = true ->
  ratios_one n table.
Proof.
  intros Ht H j k Hj Hk. apply andb_prop in H. apply (square_ratio n); tauto.
Qed.

Lemma check_side_sound n P unit e h one table : (0 < unit)%Z -> (forall s, 0 <= e s) ->
  square n table -> describes n P unit e h one -> check_side n unit one table = true ->
  ratios_one n table /\ shown n P e h table.
Proof.
  intros Hu He Ht Hd H. destruct one as [|[M b] rest]; cbn [check_side] in H.
  - destruct h; [|contradiction]. split; [apply at_least_one_sound; assumption|].
    intros j k _ _ _. exact I.
  - destruct h as [|s]; [contradiction|]. pose proof Hd as [[En [HM EP]] [Hb Hrest]].
    assert (Hrows : forall r, (r < S s)%nat -> stochastic n (P r))
      by exact (describes_stochastic n P unit e (S s) _ Hd).
    rewrite <- En in HM, Ht |- *. split; [eapply all_pairs_one; eassumption|].
    intros j k Hj Hk N. rewrite En in Hj, Hk.
    destruct (all_pairs_sound M unit table _ j k HM Ht H ltac:(lia) ltac:(lia)) as [_ H2].
    destruct (H2 N) as [H3 H4]. rewrite En in *. destruct (unspent unit ((M, b) :: rest)) eqn:Ez.
    + rewrite sweep_unspent; [|intros; apply Hrows; lia|].
      * unfold difference. rewrite sum_minus, sum_scale.
        rewrite (proj2 (Hrows s (le_n _) j Hj)), (proj2 (Hrows s (le_n _) k Hk)). lra.
      * intros r Hr. apply (unspent_zero n P unit e Hu He (S s) _ Hd Ez). lia.
    + apply (swept_sound n P unit e Hu He rest s b _ (first_difference M unit (ratio_of table j k)
        (nth j (units M) []) (nth k (units M) []))); auto.
      rewrite <- EP, <- En. apply first_difference_sound; rewrite ?En; assumption.
Qed.

Lemma one_side_sound n P table B e w t : (0 < n)%nat -> (forall s, 0 <= e s) ->
  ratios_one n table -> shown n P e t table ->
  (forall t, stochastic n (B t)) -> bounded_by n e w ->
  (forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat -> B s a b = P s a b) ->
  forall j k, (j < n)%nat -> (k < n)%nat ->
  before n B w t j <= of_rational (ratio_of table j k) * before n B w t k.
Proof.
  intros Hn He H1 Hshown HB Hw Hsame j k Hj Hk. destruct (Nat.eq_dec j k) as [E|N].
  - subst k. specialize (H1 j j Hj Hj).
    pose proof (proj1 (before_bound n B e w t j j HB He Hw Hj Hj)). nra.
  - apply (greatest_before_rule n B e w t j k); auto.
    specialize (Hshown j k Hj Hk N). destruct t as [|s]; [apply H1; assumption|].
    rewrite (sweep_same n B P e s _ (difference (P s) j k (of_rational (ratio_of table j k)))).
    + exact Hshown.
    + intros; apply Hsame; auto.
    + intros a Ha. unfold difference. rewrite !Hsame by auto. reflexivity.
Qed.

Lemma products_sound n budget claimed past future e v j k : square n past -> square n future ->
  products_at_most budget claimed past future = true -> encloses budget (Some e) ->
    encloses claimed (Some v) ->
  e <= v /\ ((j < n)%nat -> (k < n)%nat -> 1 <= of_rational (ratio_of past j k) ->
    1 <= of_rational (ratio_of future j k) ->
    exp e * (of_rational (ratio_of past j k) * of_rational (ratio_of future j k)) <= exp v).
Proof.
  intros [Ep Hp] [Ef Hf] H He Hv. unfold products_at_most in H. apply andb_prop in H.
    destruct H as [H0 H].
  pose proof (at_most_sound _ _ _ _ He Hv H0) as Hle. simpl in Hle. split; [assumption|].
    intros Hj Hk H1 H2.
  rewrite forallb_forall in H. specialize (H (nth j past [], nth j future [])).
  specialize (H (in_combine_nth past future j [] [] ltac:(lia) ltac:(lia))). cbn [fst snd] in H.
  rewrite forallb_forall in H. specialize (H (ratio_of past j k, ratio_of future j k)).
  specialize (H (in_combine_nth _ _ k _ _ ltac:(rewrite (Hp j Hj);
    assumption) ltac:(rewrite (Hp j Hj), (Hf j Hj); reflexivity))). cbv beta iota zeta in H.
  set (x := ratio_of past j k) in *. set (y := ratio_of future j k) in *. cbn [fst snd] in H.
  pose proof (IZR_pos (snd x)) as Px. pose proof (IZR_pos (snd y)) as Py.
  assert (E : IZR (fst x * fst y) / IZR (Zpos (snd x) * Zpos (snd y)) = of_rational x * of_rational
    y).
  { unfold of_rational. rewrite !mult_IZR. field. lra. }
  destruct (Z.eqb_spec (fst x * fst y) (Zpos (snd x) * Zpos (snd y))) as [Heq|Hneq].
  - rewrite <- E, Heq. unfold Rdiv. rewrite Rinv_r by (apply not_0_IZR; lia). rewrite Rmult_1_r.
    apply exp_le. assumption.
  - apply andb_prop in H. destruct H as [Hpos H]. apply Z.ltb_lt in Hpos.
    pose proof (of_ratio_sound (fst x * fst y, Zpos (snd x) * Zpos (snd y))%Z Hpos ltac:(simpl;
      lia)) as Hr.
    unfold log_of in Hr. cbn [fst snd] in Hr.
      destruct (Z.eqb_spec (Zpos (snd x) * Zpos (snd y)) 0); [lia|].
    pose proof (at_most_sound _ _ _ _ (plus_sound _ _ _ _ He Hr) Hv H) as Hall.
      unfold no_more, total in Hall.
    rewrite E in Hall. apply exp_le in Hall. rewrite exp_plus, exp_ln in Hall; [assumption|].
    apply Rmult_lt_0_compat; lra.
Qed.

Lemma is_square_sound n table : is_square n table = true -> square n table.
Proof.
  unfold is_square. intros H. apply andb_prop in H. destruct H as [H1 H2]. apply Nat.eqb_eq in H1.
    split; [assumption|].
  rewrite forallb_forall in H2. intros j Hj. apply Nat.eqb_eq, H2, nth_In. lia.
Qed.

Lemma on_grid_sound unit e x : (0 < unit)%Z -> encloses e (Some x) -> (0 < snd (high e))%Z ->
  exp x * IZR unit <= IZR (on_grid unit e).
Proof.
  intros Hu [_ [_ [_ [_ H]]]] Hs. unfold on_grid.
    pose proof (divide_up (fst (high e) * unit) (snd (high e)) Hs) as Hd.
  rewrite mult_IZR in Hd. apply IZR_lt in Hu, Hs. simpl in H.
  apply Rmult_le_reg_r with (IZR (snd (high e))); [assumption|]. eapply Rle_trans; [|exact Hd].
  replace (exp x * IZR unit * IZR (snd (high e))) with (exp x * IZR (snd (high e)) * IZR unit)
    by ring. apply Rmult_le_compat_r; lra.
Qed.

Lemma empty_or {A} (l : list A) : l = [] \/ l <> [].
Proof. destruct l; [left; reflexivity|right; discriminate]. Qed.

(** What is shown of one side, where its correlation is known. *)
Definition side_shown (n : nat) (k : correlation) (P : nat -> nat -> nat -> R) (e : nat -> R) (h :
  nat) (table : list (list rational)) : Prop :=
  ratios_one n table /\ (values_in k = 0%nat \/ values_in k = n /\ shown n P e h table).

(** The sides and the budget prove the claim. *)
Lemma sides_sound B F one claimed past future e T t v : let n := values_of_both B F in
  (forall s, 0 <= e s) -> (t <= T)%nat -> square n past -> square n future ->
  side_shown n B (fun s => of_matrix (at_step B s)) e t past ->
  side_shown n F (fun s => of_matrix (at_step F (T - S s))) (turned T e) (T - t) future ->
  products_at_most one claimed past future = true -> encloses one (Some (e t)) ->
    encloses claimed (of_level v) ->
  leaks_no_more B F e T t v.
Proof.
  intros n He0 HtT Sp Sf [Op Cp] [Of Cf] Hprod Hone Hv.
  (* one pair of values *)
  intros O n' c M x [Hc [HcB HcF]] HM Hx r j k Hj Hk Pj Pk. rewrite Hx in Hv.
  assert (Hbayes : exists B', bayes n' c B' /\ (values_in B = 0%nat \/ n' = values_in B /\
    forall s a b, (s < t)%nat -> (a < n')%nat -> (b < n')%nat ->
      B' s a b = of_matrix (at_step B s) a b)).
  { destruct HcB as [E|[En [B' [HB' Hsame]]]].
    - exists (reversed n' c). split; [apply bayes_rule; [lia|assumption]|]. left. assumption.
    - exists B'. auto. }
  destruct Hbayes as [B' [HB' Hpast]].
  set (from := first_seen B t). set (to := last_seen F T t).
  assert (Hft : (from <= t <= to)%nat).
  { unfold from, to, first_seen, last_seen. destruct (values_in B), (values_in F); lia. }
  pose proof (outputs_bounded n' e M r from to He0 HM) as Hw.
  assert (Hnothing : values_in B = 0%nat -> forall a, (a < n')%nat ->
    before n' B' (outputs M r from to) t a = 1).
  { intros E a Ha. apply before_nothing; [apply HB'|assumption|]. intros s b Hs.
    unfold outputs, from, first_seen. rewrite E.
    destruct (Nat.leb_spec t s); [lia|reflexivity]. }
  assert (Hnothing' : values_in F = 0%nat -> forall a, (a < n')%nat ->
    Chain.future n' c (outputs M r from to) t (T - t) a = 1).
  { intros E a Ha. apply future_nothing; [assumption|assumption|]. intros s b Hs.
    unfold outputs, to, last_seen. rewrite E.
    destruct (Nat.leb_spec s t); [lia|]. rewrite andb_false_r. reflexivity. }
  destruct (products_sound n one claimed past future (e t) x j k Sp Sf Hprod Hone Hv)
    as [Hle Hpair].
  destruct (Nat.eq_dec n 0) as [E0|N0].
  - assert (EB : values_in B = 0%nat) by (unfold n, values_of_both in E0; lia).
    assert (EF : values_in F = 0%nat) by (unfold n, values_of_both in E0; lia).
    apply (leak_sound n' c B' e T M t from to x 1 1 j k r); auto; try lra.
    + apply exp_le in Hle. lra.
    + rewrite !Hnothing by auto. lra.
    + rewrite !Hnothing' by auto. lra.
  - assert (En : n' = n).
    { destruct Hpast as [EB|[-> _]].
      - destruct HcF as [EF|[-> _]]; [unfold n, values_of_both in N0; lia|].
        destruct Cf as [EF|[EF _]]; [unfold n, values_of_both in N0; lia|assumption].
      - destruct Cp as [EB|[EB _]]; [|assumption].
        destruct HcF as [EF|[En' _]]; [unfold n, values_of_both in N0; lia|].
        destruct Cf as [EF|[EF _]]; [unfold n, values_of_both in N0; lia|]. congruence. }
    rewrite En in *. specialize (Op j k Hj Hk) as H1. specialize (Of j k Hj Hk) as H2.
    apply (leak_sound n c B' e T M t from to x (of_rational (ratio_of past j k))
      (of_rational (ratio_of future j k)) j k r); auto.
    + destruct Hpast as [EB|[_ Hsame]]; [rewrite !Hnothing by auto; lra|].
      destruct Cp as [EB|[_ Cp]]; [rewrite !Hnothing by auto; lra|].
      apply (one_side_sound n (fun s => of_matrix (at_step B s)) past B' e); auto;
        [lia|apply HB'].
    + destruct HcF as [EF|[_ Hsame]]; [rewrite !Hnothing' by auto; lra|].
      destruct Cf as [EF|[_ Cf]]; [rewrite !Hnothing' by auto; lra|].
      rewrite !future_from by assumption.
      apply (one_side_sound n (fun s => of_matrix (at_step F (T - S s))) future _ (turned T e));
        auto; try lia.
      * intros s. apply He0.
      * intros s. apply Hc.
      * apply turned_bounded. assumption.
      * intros s a b Hs Ha Hb. apply Hsame; auto. lia.
Qed.

(** The budgets stand for what is known of them, and are finite. *)
Lemma known_budget budgets e :
  Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w)) (map snd budgets)
    (map fst budgets) ->
  finite budgets = true -> Claims.budgets (map fst budgets) e ->
  forall s, (s < List.length budgets)%nat -> exists w one, nth_error budgets s = Some (w, one) /\
  encloses one (Some (e s)) /\ (0 < snd (high one))%Z.
Proof.
  intros Hls Hfin He s Hs. destruct (nth_error budgets s) as [[w one]|] eqn:E1;
    [|apply nth_error_None in E1; lia].
  exists w, one. split; [reflexivity|].
  assert (Henc : encloses one (of_level w)).
  { clear - Hls E1. revert s E1. induction budgets as [|[w0 one0] budgets IH]; intros [|s] E1;
    simpl in *; try discriminate.
    - injection E1 as -> ->. inversion Hls; tauto.
    - inversion Hls; subst. eapply IH; eauto. }
  assert (Hpos : (0 < snd (high one))%Z).
  { unfold finite in Hfin. rewrite forallb_forall in Hfin. apply nth_error_In in E1.
    apply Hfin in E1. apply Z.ltb_lt in E1. exact E1. }
  specialize (He s). rewrite map_length in He. specialize (He Hs).
  assert (Ew : nth s (map fst budgets) Infinite = w).
  { rewrite (nth_error_nth (map fst budgets) s Infinite (x := w)); [reflexivity|].
    rewrite nth_error_map, E1. reflexivity. }
  rewrite Ew in He. unfold stands_for in He. destruct He as [_ He]. destruct (of_level w) as [x|].
  - subst x. auto.
  - destruct Henc as [_ [_ [_ [_ Hinf]]]]. lia.
Qed.

(** ** All times *)

(** The releases on a side, as far as they are known. *)
Definition side_is (k : correlation) (n : nat) (P : nat -> nat -> nat -> R) (unit : Z) (e : nat ->
  R) (h : nat) (one : releases) : Prop :=
  if Nat.eqb (values_in k) 0 then one = [] else values_in k = n /\ describes n P unit e h one.

Lemma side_is_shown k n P unit e h one table : (0 < unit)%Z -> (forall s, 0 <= e s) ->
  square n table -> side_is k n P unit e h one -> check_side n unit one table = true ->
  side_shown n k P e h table.
Proof.
  intros Hu He Ht Hd H. unfold side_is in Hd. unfold side_shown.
  destruct (Nat.eqb_spec (values_in k) 0) as [E|N].
  - subst one. split; [apply at_least_one_sound; assumption|left; assumption].
  - destruct Hd as [En Hd]. destruct (check_side_sound n P unit e h one table Hu He Ht Hd H).
    auto.
Qed.

Lemma future_is k n unit e T : forall zs t Fs, (t + List.length zs = T)%nat ->
  (forall i, (i < List.length zs)%nat -> exp (e (S t + i)%nat) * IZR unit <= IZR (nth i zs 0%Z)) ->
  steps_are k n Fs t (List.length zs) ->
  side_is k n (fun s => of_matrix (at_step k (T - S s))) unit (turned T e) (T - t)
    (combine Fs zs).
Proof.
  unfold steps_are, side_is.
  destruct (Nat.eqb (values_in k) 0); [intros zs t Fs _ _ ->; reflexivity|].
  intros zs t Fs Et He [En HF]. split; [assumption|]. clear En. revert t Fs Et He HF.
  induction zs as [|z zs IH]; intros t Fs Et He HF.
  - cbn in Et. replace (T - t)%nat with 0%nat by lia. destruct Fs; exact I.
  - cbn [List.length] in *. destruct HF as [L HF]. destruct Fs as [|M Fs]; [discriminate|].
    cbn [combine]. replace (T - t)%nat with (S (T - S t)) by lia. cbn [describes].
    destruct (HF 0%nat ltac:(lia)) as [Hn [HM EM]]. cbn [nth] in Hn, HM, EM.
    rewrite Nat.add_0_r in EM.
    split; [split; [assumption|split; [assumption|]]|split].
    + rewrite EM. do 2 f_equal. lia.
    + specialize (He 0%nat ltac:(lia)). cbn [nth] in He. rewrite Nat.add_0_r in He.
      unfold turned. replace (T - (T - S t))%nat with (S t) by lia. exact He.
    + apply IH; [lia| |].
      * intros i Hi. specialize (He (S i) ltac:(lia)). cbn [nth] in He.
        replace (S (S t) + i)%nat with (S t + S i)%nat by lia. exact He.
      * cbn in L. split; [lia|]. intros i Hi. specialize (HF (S i) ltac:(lia)).
        cbn [nth] in HF. replace (S t + i)%nat with (t + S i)%nat by lia. exact HF.
Qed.

Lemma check_times_sound B F unit claimed e T v : let n := values_of_both B F in
  (0 < unit)%Z -> (forall s, 0 <= e s) -> encloses claimed (of_level v) ->
  forall budgets t before Bs Fs tables i past future,
  (t + List.length budgets = S T)%nat ->
  (forall i, (i < List.length budgets)%nat -> exists one z, nth_error budgets i = Some (one, z) /\
    encloses one (Some (e (t + i)%nat)) /\ exp (e (t + i)%nat) * IZR unit <= IZR z) ->
  side_is B n (fun s => of_matrix (at_step B s)) unit e t before ->
  steps_are B n Bs t (List.length budgets - 1) -> steps_are F n Fs t (List.length budgets - 1) ->
  check_times n unit claimed before Bs Fs budgets tables = true ->
  nth_error tables i = Some (Some (past, future)) -> leaks_no_more B F e T (t + i) v.
Proof.
  intros n Hu He0 Hv. induction budgets as [|[one z] budgets IH];
    intros t before Bs Fs [|table tables] i past future Et Hb Hbefore HB HF H Hi;
    cbn [check_times] in H; try discriminate.
  - destruct i; discriminate.
  - cbn [List.length] in *. rewrite Nat.sub_succ, Nat.sub_0_r in HB, HF.
    destruct (Hb 0%nat ltac:(lia)) as [one' [z' [E1 [Hone Hz]]]]. cbn in E1.
    injection E1 as <- <-. rewrite Nat.add_0_r in Hone, Hz.
    apply andb_prop in H. destruct H as [H H']. destruct i as [|i].
    + cbn in Hi. injection Hi as ->. do 4 (apply andb_prop in H; destruct H as [H ?]).
      rewrite Nat.add_0_r. apply is_square_sound in H.
      match goal with E : is_square _ _ = true |- _ => apply is_square_sound in E end.
      apply (sides_sound B F one claimed past future); auto; try lia.
      * eapply side_is_shown; eassumption.
      * eapply side_is_shown; [exact Hu|intros s; apply He0|assumption| |eassumption].
        apply future_is; [rewrite map_length; lia| |rewrite map_length; assumption].
        intros l Hl. rewrite map_length in Hl. destruct (Hb (S l) ltac:(lia))
          as [one2 [z2 [E2 [_ Hg]]]]. cbn [nth_error] in E2.
        rewrite (nth_error_nth (map snd budgets) l 0%Z (x := z2));
          [|rewrite nth_error_map, E2; reflexivity].
        replace (S t + l)%nat with (t + S l)%nat by lia. exact Hg.
    + replace (t + S i)%nat with (S t + i)%nat by lia.
      destruct budgets as [|next budgets].
      { destruct tables; [destruct i|]; discriminate. }
      apply (IH (S t) (match Bs with M :: _ => (M, z) :: before | [] => before end) (tl Bs) (tl Fs)
        tables i past future); auto; try lia.
      * intros l Hl. destruct (Hb (S l) ltac:(cbn [List.length] in *; lia)) as [one2 [z2 E2]].
        exists one2, z2. replace (S t + l)%nat with (t + S l)%nat by lia. exact E2.
      * unfold side_is, steps_are in *. destruct (Nat.eqb (values_in B) 0); [subst; reflexivity|].
        destruct Hbefore as [En Hd]. split; [assumption|]. destruct HB as [_ [L HB]].
        destruct Bs as [|M Bs]; [discriminate|].
        destruct (HB 0%nat ltac:(cbn [List.length]; lia)) as [Hn [HM EM]].
        cbn [nth] in Hn, HM, EM. rewrite Nat.add_0_r in EM. cbn [describes].
        split; [split; [assumption|split; [assumption|rewrite EM; reflexivity]]|split; assumption].
      * cbn [List.length]. rewrite Nat.sub_succ, Nat.sub_0_r. apply steps_are_later. exact HB.
      * cbn [List.length]. rewrite Nat.sub_succ, Nat.sub_0_r. apply steps_are_later. exact HF.
Qed.

Lemma read_table_square n j table : read_table n j = Done table -> square n table.
Proof. unfold read_table. intros H. step H. injection H as <-. clean. apply is_square_sound.
  assumption. Qed.

Lemma read_tables_length n count k j tables : read_tables n count k j = Done tables ->
  List.length tables = count.
Proof.
  unfold read_tables. intros H. destruct (values_in k).
  - destruct j; try discriminate. injection H as <-. apply repeat_length.
  - step H. apply each_from_length in H. rewrite H. unfold items_exactly in E. step E.
    injection E as <-. clean.
    apply Nat.eqb_eq. assumption.
Qed.

Lemma integer_range least most j z : integer least most j = Done z -> (least <= z <= most)%Z.
Proof.
  unfold integer. destruct j; try discriminate. destruct (_ && _) eqn:E; [|discriminate]. intros H.
    injection H as <-.
  apply andb_prop in E. destruct E as [E1 E2]. apply Z.leb_le in E1, E2. lia.
Qed.

Lemma read_stream_sound digit epsilons backward forward bits budgets B F :
  read_stream digit epsilons backward forward = Done (bits, budgets, (B, F)) ->
  Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w)) (map snd budgets)
    (map fst budgets) /\ finite budgets = true /\
  let n := values_of_both (fst B) (fst F) in let count := (List.length budgets - 1)%nat in
  steps_are (fst B) n (snd B) 0 count /\ steps_are (fst F) n (snd F) 0 count.
Proof.
  unfold read_stream. intros H. step H. injection H as <- <- <- <-. clean.
  repeat match goal with E : read_side_steps _ _ = Done ?p |- _ => destruct p as [? ?];
    apply read_side_steps_sound in E end. cbn [fst snd] in *.
  match goal with E : each (read_level _) _ = Done _ |- _ => apply each_levels in E end.
  split; [assumption|]. split; [assumption|].
  match goal with E : same_values ?x ?y = true |- _ => rename x into k, y into k' end.
  assert (Hn : (values_in k = 0 \/ values_in k = values_of_both k k')%nat /\
    (values_in k' = 0 \/ values_in k' = values_of_both k k')%nat).
  { unfold same_values, values_of_both in *.
    match goal with E : _ || _ || _ = true |- _ => apply orb_prop in E; destruct E as [E|E];
      [apply orb_prop in E; destruct E as [E|E]|]; apply Nat.eqb_eq in E; lia end. }
  unfold steps_are in *. split.
  - destruct (Nat.eqb_spec (values_in k) 0); [assumption|].
    destruct Hn as [[|<-] _]; [lia|assumption].
  - destruct (Nat.eqb_spec (values_in k') 0); [assumption|].
    destruct Hn as [_ [|<-]]; [lia|assumption].
Qed.

Lemma tight_time B F Bs Fs unit claimed budgets tables t past future v :
  let n := values_of_both B F in let count := (List.length budgets - 1)%nat in
  steps_are B n Bs 0 count -> steps_are F n Fs 0 count -> (0 < unit)%Z ->
  Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w)) (map snd budgets)
    (map fst budgets) -> finite budgets = true ->
  encloses claimed (of_level v) ->
  check_times n unit claimed [] Bs Fs (map (fun b => (snd b, on_grid unit (snd b))) budgets)
    tables = true ->
  nth_error tables t = Some (Some (past, future)) ->
  forall e, Claims.budgets (map fst budgets) e -> (forall s, 0 <= e s) ->
  leaks_no_more B F e count t v.
Proof.
  intros n count HB HF Hu Hls Hfin Hv H Ht e He He0.
  assert (Hlen : (0 < List.length budgets)%nat).
  { clear - H Ht. destruct budgets; [|cbn; lia]. destruct tables; [destruct t|]; discriminate. }
  apply (check_times_sound B F unit claimed e count v Hu He0 Hv
    (map (fun b => (snd b, on_grid unit (snd b))) budgets) 0 [] Bs Fs tables t past future);
    try (rewrite map_length; assumption); auto.
  - rewrite map_length. unfold count. lia.
  - intros i Hi. rewrite map_length in Hi.
    destruct (known_budget budgets e Hls Hfin He i Hi) as [w1 [one1 [E1 [Henc Hpos]]]].
    exists one1, (on_grid unit one1). rewrite nth_error_map, E1. auto using on_grid_sound.
  - unfold side_is, steps_are in *. destruct (Nat.eqb (values_in B) 0); [reflexivity|].
    destruct HB as [E _]. split; [exact E|exact I].
Qed.

Lemma check_tight_upper_sound l c : check_tight_upper l = Done c -> holds c.
Proof.
  unfold check_tight_upper. intros H. do 9 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean.
  match goal with E : read_stream _ _ _ _ = Done (?bits, ?budgets, (?one, ?other)) |- _ =>
    rename budgets into levels; destruct (read_stream_sound _ _ _ _ _ _ _
      _ E) as [Hls [Hfin [HB HF]]] end. cbn [fst snd] in *.
  intros e' t He He0 Ht Htime. rewrite map_length in *.
  match goal with E8 : read_tables _ _ ?B _ = Done ?x, E9 : read_tables _ _ ?F _ = Done ?y, E11 :
    check_times _ _ _ _ _ _ _ ?tables = true |- _ =>
    apply read_tables_length in E8; apply read_tables_length in E9;
    assert (Hnth : exists past future, nth_error tables t = Some (Some (past, future)));
    [|destruct Hnth as [past [future Hnth]]; eapply tight_time; eauto using two_to_positive]
  end.
  assert (Hcombine : forall (A B : Type) (x : list A) (y : list B) i, List.length x = List.length y
    -> (i < List.length x)%nat ->
    exists a b, nth_error (combine x y) i = Some (a, b)).
  { clear. intros A B. induction x as [|a x IH]; intros [|b y] i E Hi; simpl in *; try lia.
    destruct i as [|i]; [exists a, b; reflexivity|]. apply IH; lia. }
  match goal with |- context [combine ?x ?y] => rename x into pasts; rename y into futures end.
  match goal with asked : option nat |- _ => destruct asked as [t0|] end.
  - subst t0. destruct (Hcombine _ _ pasts futures 0%nat) as [past [future Hn]]; [lia|lia|].
    exists past, future.
    rewrite nth_error_app2 by (rewrite repeat_length; lia). rewrite repeat_length, Nat.sub_diag.
    rewrite nth_error_app1 by (rewrite map_length, combine_length; lia). rewrite nth_error_map, Hn.
      reflexivity.
  - destruct (Hcombine _ _ pasts futures t) as [past [future Hn]]; [lia|lia|]. exists past, future.
    rewrite nth_error_map, Hn. reflexivity.
Qed.
