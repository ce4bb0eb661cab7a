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

Fixpoint swept (n : nat) (M : distributions) (unit : Z) (budgets c : list Z) : bool :=
  match budgets with
  | [] => true
  | b :: rest =>
      forallb (fun x => x <=? 0) c ||
      (let x := weighed unit b c in
       match rest with [] => added x <=? 0 | _ => swept n M unit rest (stepped n M x) end)
  end.

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

(** ** tight-upper *)

Definition every_step := "each matrix is that of all steps".
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
Definition read_tables (n count : nat) (M : distributions) (j : json) :
  result (list (list (list rational))) :=
  match given M with
  | [] => match j with Null => Done (repeat (ones n) count) | _ =>
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
Definition unspent (unit : Z) (budgets : list Z) : bool := forallb (fun b => b <=? unit) budgets.
Definition over_side (n : nat) (M : distributions) (unit : Z) (nearest_first : list Z) :
  list Z -> bool :=
  if unspent unit nearest_first then fun _ => true else swept n M unit nearest_first.
Definition check_side (n : nat) (M : distributions) (unit : Z) (nearest_first : list Z) (table :
  list (list rational)) : bool :=
  match given M with [] => forallb (forallb (fun x => Zpos (snd x) <=? fst x)) table | _ =>
    all_pairs M unit table (over_side n M unit nearest_first) end.

(** The times t, counted from 0, one after the other: past budgets, the nearest first; the budget;
    the rest. *)
Fixpoint check_times (n : nat) (B F : distributions) (unit : Z) (claimed : enclosure) (before :
  list Z)
  (budgets : list (enclosure * Z)) (tables :
    list (option (list (list rational) * list (list rational)))) : bool :=
  match budgets, tables with
  | [], [] => true
  | (budget, z) :: budgets', one :: tables' =>
      match one with
      | None => true
      | Some (past, future) =>
          is_square n past && is_square n future && check_side n B unit before past && check_side n
            F unit (map snd budgets') future
            && products_at_most budget claimed past future
      end && check_times n B F unit claimed (z :: before) budgets' tables'
  | _, _ => false
  end.

Definition finite (levels : list (written_level * enclosure)) : bool := forallb (fun l =>
  0 <? snd (high (snd l))) levels.

Definition size (B F : distributions) : nat := Nat.max (List.length (given B))
  (List.length (given F)).

(** What the kinds about a sequence of budgets begin with. *)
Definition read_stream (digit epsilons backward forward : json)
  : result (Z * list (written_level * enclosure) * (distributions * distributions)) :=
  let! bits := inside "digits" (digits digit) in
  let! asked := inside "epsilons" (some_items most_steps epsilons) in
  let! budgets := inside "epsilons" (each (read_level bits) asked) in
  let! _ := inside "epsilons" (require (finite budgets) "finite levels are expected") in
  let! known := read_known backward forward in
  Done (bits, budgets, known).

Definition check_tight_upper (l : list json) : result claim :=
  match l with
  | [d; assumed; backward; forward; epsilons; time; past; future; level] =>
      let! _ := inside "assumed" (assumes [every_step; not_adaptive] assumed) in
      let! (bits, budgets, (B, F)) := read_stream d epsilons backward forward in
      let n := size B F in
      let count := List.length budgets in
      let! t := inside "time" (match time with
        | Null => Done None
        | _ => let! t := integer 1 (Z.of_nat count) time in Done (Some (Z.to_nat (t - 1)))
        end) in
      let tables := match t with None => count | _ => 1%nat end in
      let! pasts := inside "past" (read_tables n tables B past) in
      let! futures := inside "future" (read_tables n tables F future) in
      let! (v, claimed) := inside "level" (read_level bits level) in
      let unit := two_to bits in
      let both := match t with
        | None => map Some (combine pasts futures)
        | Some t0 => (repeat None t0 ++ map Some (combine pasts futures) ++
          repeat None (count - t0 - 1))%list
        end in
      let! _ := require (check_times n B F unit claimed [] (map (fun b =>
        (snd b, on_grid unit (snd b))) budgets) both)
        "a ratio or the level is not proved" in
      Done (Tight_upper (given B) (given F) (map fst budgets) t v)
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

Lemma sweep_nonpos n P e s c : stochastic n P -> (forall a, (a < n)%nat -> c a <= 0) ->
  sweep n (fun _ => P) e s c <= 0.
Proof.
  intros HP. revert c. induction s as [|s IH]; intros c H; simpl.
  - rewrite <- (sum_zero n). apply sum_le. intros a Ha. apply Phi_nonpos. auto.
  - apply IH. intros a Ha. unfold back. rewrite <- (sum_zero n). apply sum_le. intros b Hb.
    pose proof (Phi_nonpos (exp (e (S s))) c b (H b Hb)). pose proof (proj1 (HP b Hb) a Ha). nra.
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

(** Budgets from the nearest release on, e s, ..., e 0, not less than the budgets are. *)
Definition budgets_above (unit : Z) (e : nat -> R) (s : nat) (budgets : list Z) : Prop :=
  List.length budgets = S s /\ forall i, (i <= s)%nat -> exp (e (s - i)%nat) * IZR unit <= IZR
    (nth i budgets 0%Z).

Lemma swept_sound M unit e budgets c z s : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> (forall s, 0 <= e s) -> budgets_above unit e s budgets ->
    above n unit c z ->
  swept n M unit budgets z = true -> sweep n (fun _ => of_matrix (given M)) e s c <= 0.
Proof.
  intros n HM Hu He. pose proof (well_formed_stochastic M HM) as HP. fold n in HP.
  revert c z s. induction budgets as [|b budgets IH]; intros c z s [El Hb] Hz H; simpl in El;
    [discriminate|].
  cbn [swept] in H. apply orb_prop in H. destruct H as [H|H].
  - apply sweep_nonpos; [assumption|]. eapply nonpos_sound; eassumption.
  - assert (Hb0 : exp (e s) * IZR unit <= IZR b).
    { specialize (Hb 0%nat ltac:(lia)). rewrite Nat.sub_0_r in Hb. exact Hb. }
    pose proof (weighed_sound n unit b (exp (e s)) c z Hu (exp_ratio _ (He s)) Hb0 Hz) as Hw.
    destruct budgets as [|b' budgets].
    + assert (s = 0%nat) as -> by (simpl in El; lia). simpl. apply Z.leb_le, IZR_le in H.
      unfold added in H. rewrite added_spec in H. destruct Hw as [Ew Hw]. rewrite Ew in H.
        apply IZR_lt in Hu.
      apply Rmult_le_reg_r with (IZR unit); [assumption|]. rewrite Rmult_0_l, <- sum_scale_r.
      eapply Rle_trans; [apply sum_le; exact Hw|]. rewrite Rplus_0_l in H. exact H.
    + destruct s as [|s]; [simpl in El; lia|]. simpl sweep.
      apply (IH _ (stepped n M (weighed unit b z))); auto.
      * split; [simpl in *; lia|]. intros i Hi. specialize (Hb (S i) ltac:(lia)). exact Hb.
      * apply stepped_sound; assumption.
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

Definition ratio_of (table : list (list rational)) (j k : nat) : rational := nth k (nth j table [])
  (1%Z, 1%positive).
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
  B r a b = P a b) ->
  (forall a, (a < n)%nat -> c a = c' a) -> sweep n B e s c = sweep n (fun _ => P) e s c'.
Proof.
  revert c c'. induction s as [|s IH]; intros c c' HB Hc; simpl.
  - apply sum_ext. intros a Ha. apply Phi_ext. auto.
  - apply IH; [intros; apply HB; auto|]. intros a Ha. apply sum_ext. intros b Hb.
    rewrite HB by (auto; lia).
    f_equal. apply Phi_ext. auto.
Qed.

(** What an accepted ratio of two values has proved, of the releases at one side of time t: t of
    them, budgets e. *)
Definition swept_over (M : distributions) (e : nat -> R) (t : nat) (c : nat -> R) : Prop :=
  match t with
  | O => True
  | S s => sweep (List.length (given M)) (fun _ => of_matrix (given M)) e s c <= 0
  end.
Definition proves (M : distributions) (unit : Z) (over : list Z -> bool) (e : nat -> R) (t : nat) :
  Prop :=
  forall lambda j k, (j < List.length (given M))%nat -> (k < List.length (given M))%nat ->
  1 <= of_rational lambda ->
  over (first_difference M unit lambda (nth j (units M) []) (nth k (units M) [])) = true ->
  swept_over M e t (difference (of_matrix (given M)) j k (of_rational lambda)).

(** So it is where all vectors that are accepted are swept. *)
Lemma proves_every M unit over e t : well_formed (List.length (given M)) M -> (0 < unit)%Z ->
  (forall c z, above (List.length (given M)) unit c z -> over z = true -> swept_over M e t c) ->
  proves M unit over e t.
Proof.
  intros HM Hu H lambda j k Hj Hk _ Hover. eapply H; [|exact Hover].
  apply first_difference_sound; assumption.
Qed.

(** Budgets of 0 leave the sum as it is. *)
Lemma sweep_unspent n P e s c : stochastic n P -> (forall r, (r <= s)%nat -> e r = 0) ->
  sweep n (fun _ => P) e s c = sum n c.
Proof.
  intros HP. assert (HPhi : forall c a, Phi (exp 0) c a = c a).
  { intros c' a. unfold Phi. rewrite exp_0. destruct (Rlt_dec 0 (c' a)); ring. }
  revert c. induction s as [|s IH]; intros c He; cbn [sweep]; rewrite He by lia.
  - apply sum_ext. intros a _. apply HPhi.
  - rewrite IH by (intros; apply He; lia). unfold back. rewrite sum_swap. apply sum_ext.
    intros b Hb. rewrite sum_scale_r, (proj2 (HP b Hb)), HPhi. ring.
Qed.

Lemma unspent_sound M unit budgets e s : well_formed (List.length (given M)) M -> (0 < unit)%Z ->
  (forall r, 0 <= e r) -> budgets_above unit e s budgets -> unspent unit budgets = true ->
  proves M unit (fun _ => true) e (S s).
Proof.
  intros HM Hu He [El Hb] Hz lambda j k Hj Hk Hl _. pose proof (well_formed_stochastic M HM) as HP.
  cbn [swept_over]. rewrite sweep_unspent; [|assumption|].
  - unfold difference. rewrite sum_minus, sum_scale. rewrite (proj2 (HP j Hj)), (proj2 (HP k Hk)).
    lra.
  - intros r Hr. specialize (Hb (s - r)%nat ltac:(lia)).
    replace (s - (s - r))%nat with r in Hb by lia. unfold unspent in Hz.
    rewrite forallb_forall in Hz. specialize (Hz (nth (s - r) budgets 0%Z)
      ltac:(apply nth_In; lia)).
    apply Z.leb_le, IZR_le in Hz. apply IZR_lt in Hu. apply Rle_antisym; [|apply He].
    apply exp_le_inv. rewrite exp_0. apply Rmult_le_reg_r with (IZR unit); [assumption|]. lra.
Qed.

Lemma one_side_sound M unit over table B e w t : let n := List.length (given M) in
  well_formed n M -> (0 < unit)%Z -> square n table -> all_pairs M unit table over = true ->
    proves M unit over e t ->
  (forall t, stochastic n (B t)) -> bounded_by n e w ->
  (forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat -> B s a b = of_matrix (given M) a b) ->
  forall j k, (j < n)%nat -> (k < n)%nat ->
  1 <= of_rational (ratio_of table j k) /\ before n B w t j <= of_rational (ratio_of table j k) *
    before n B w t k.
Proof.
  intros n HM Hu Ht H Hover HB Hw Hsame j k Hj Hk.
  destruct (all_pairs_sound M unit table _ j k HM Ht H Hj Hk) as [H1 H2].
  destruct (Nat.eq_dec j k) as [E|N].
  - rewrite (H1 E). subst k. lra.
  - destruct (H2 N) as [H3 H4]. split; [assumption|].
    apply (greatest_before_rule n B e w t j k); auto; [unfold n in *; lia|].
    specialize (Hover (ratio_of table j k) j k Hj Hk H3 H4).
    destruct t as [|s]; [assumption|]. cbn [swept_over] in Hover.
    rewrite (sweep_same n B (of_matrix (given M)) e s _ (difference (of_matrix (given M)) j k
      (of_rational (ratio_of table j k)))).
    + exact Hover.
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

Lemma check_times_sound n B F unit claimed : forall budgets before tables i past future,
  check_times n B F unit claimed before budgets tables = true -> nth_error tables i = Some
    (Some (past, future)) ->
  exists budget z, nth_error budgets i = Some (budget, z) /\ square n past /\ square n future /\
    check_side n B unit (rev (map snd (firstn i budgets)) ++ before) past = true /\
    check_side n F unit (map snd (skipn (S i) budgets)) future = true /\
    products_at_most budget claimed past future = true.
Proof.
  induction budgets as [|[budget z] budgets IH]; intros before [|one tables] i past future H Hi;
    cbn [check_times] in H; try discriminate.
  - destruct i; discriminate.
  - apply andb_prop in H. destruct H as [H H']. destruct i as [|i].
    + simpl in Hi. injection Hi as ->. do 4 (apply andb_prop in H; destruct H as [H ?]).
      exists budget, z. cbn [nth_error firstn map rev app skipn]. auto 10 using is_square_sound.
    + destruct (IH _ _ i past future H' Hi) as [b [y [H1 [H2 [H3 [H4 [H5 H6]]]]]]]. exists b, y.
      cbn [nth_error firstn skipn map rev]. rewrite <- app_assoc. auto 10.
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

(** The sides and the budget prove the claim. *)
Lemma sides_sound B F unit over over' one claimed past future e T t v :
  well_formed (List.length (given B)) B -> well_formed (List.length (given F)) F ->
    same_size B F = true -> (0 < unit)%Z ->
  (forall s, 0 <= e s) -> (t <= T)%nat -> square (size B F) past -> square (size B F) future ->
  given B = [] /\ forallb (forallb (fun x => (Zpos (snd x) <=? fst x)%Z)) past = true \/
    given B <> [] /\ all_pairs B unit past over = true /\ proves B unit over e t ->
  given F = [] /\ forallb (forallb (fun x => (Zpos (snd x) <=? fst x)%Z)) future = true \/
    given F <> [] /\ all_pairs F unit future over' = true /\ proves F unit over' (turned T e)
      (T - t) ->
  products_at_most one claimed past future = true -> encloses one (Some (e t)) ->
    encloses claimed (of_level v) ->
  leaks_no_more (given B) (given F) e T t v.
Proof.
  intros HB HF Hsize Hu He0 HtT Sp Sf Cp Cf Hprod Hone Hv.
  (* one pair of values *)
  intros O n c M x [Hc [HcB HcF]] HM Hx r j k Hj Hk Pj Pk. rewrite Hx in Hv.
  assert (Hbayes : exists B', bayes n c B' /\ (given B = [] \/ n = List.length (given B) /\
            forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat -> B' s a b = of_matrix
              (given B) a b)).
  { destruct HcB as [E|[En [B' [HB' Hsame]]]].
    - exists (reversed n c). split; [apply bayes_rule; [lia|assumption]|]. left. assumption.
    - exists B'. auto. }
  destruct Hbayes as [B' [HB' Hpast]].
  set (from := first_seen (given B) t). set (to := last_seen (given F) T t).
  assert (Hft : (from <= t <= to)%nat).
  { unfold from, to, first_seen, last_seen. destruct (given B), (given F); lia. }
  pose proof (outputs_bounded n e M r from to He0 HM) as Hw.
  assert (Hnothing : given B = [] -> forall a, (a < n)%nat -> before n B' (outputs M r from to) t a
    = 1).
  { intros E a Ha. apply before_nothing; [apply HB'|assumption|]. intros s b Hs.
    unfold outputs, from, first_seen. rewrite E.
    destruct (Nat.leb_spec t s); [lia|reflexivity]. }
  assert (Hnothing' : given F = [] -> forall a, (a < n)%nat -> Chain.future n c (outputs M r from
    to) t (T - t) a = 1).
  { intros E a Ha. apply future_nothing; [assumption|assumption|]. intros s b Hs.
    unfold outputs, to, last_seen. rewrite E.
    destruct (Nat.leb_spec s t); [lia|]. rewrite andb_false_r. reflexivity. }
  destruct (products_sound (size B F) one claimed past future (e t) x j k Sp Sf Hprod Hone Hv)
    as [Hle Hpair].
  destruct (empty_or (given B)) as [EB|NB]; destruct (empty_or (given F)) as [EF|NF].
  - apply (leak_sound n c B' e T M t from to x 1 1 j k r); auto; try lra.
    + apply exp_le in Hle. lra.
    + rewrite !Hnothing by auto. lra.
    + rewrite !Hnothing' by auto. lra.
  - destruct HcF as [E|[En Hsame]]; [contradiction|]. rewrite (size_right B F NF Hsize) in *.
    rewrite <- En in *.
    assert (H1 : 1 <= of_rational (ratio_of past j k)).
    { destruct Cp as [[_ Cp]|[N _]]; [apply (square_ratio n); assumption|contradiction]. }
    assert (H2 : 1 <= of_rational (ratio_of future j k) /\
      before n (fun s => forward c (T - S s)%nat) (turned T (outputs M r from to)) (T - t) j <=
      of_rational (ratio_of future j k) * before n (fun s => forward c (T - S s)%nat)
        (turned T (outputs M r from to)) (T - t) k).
    { destruct Cf as [[N _]|[_ [Cf Of]]]; [contradiction|].
      rewrite En in *. apply (one_side_sound F unit over' future _ (turned T e)); auto.
      - intros s. apply Hc.
      - apply turned_bounded. assumption.
      - intros s a b Hs Ha Hb. apply Hsame; auto. lia. }
    destruct H2 as [H2 Y].
      apply (leak_sound n c B' e T M t from to x (of_rational (ratio_of past j k))
      (of_rational (ratio_of future j k)) j k r); auto.
    + rewrite !Hnothing by auto. lra.
    + rewrite !future_from by assumption. exact Y.
  - destruct HcB as [E|[En _]]; [contradiction|]. rewrite (size_left B F NB Hsize) in *.
    rewrite <- En in *.
    destruct Hpast as [E|[_ Hsame]]; [contradiction|].
    assert (H2 : 1 <= of_rational (ratio_of future j k)).
    { destruct Cf as [[_ Cf]|[N _]]; [apply (square_ratio n); assumption|contradiction]. }
    assert (H1 : 1 <= of_rational (ratio_of past j k) /\
      before n B' (outputs M r from to) t j <= of_rational (ratio_of past j k) * before n B'
        (outputs M r from to) t k).
    { destruct Cp as [[N _]|[_ [Cp Op]]]; [contradiction|].
      rewrite En in *. apply (one_side_sound B unit over past B' e); auto; apply HB'. }
    destruct H1 as [H1 X].
      apply (leak_sound n c B' e T M t from to x (of_rational (ratio_of past j k))
      (of_rational (ratio_of future j k)) j k r); auto.
    rewrite !Hnothing' by auto. lra.
  - destruct HcB as [E|[En _]]; [contradiction|]. rewrite (size_left B F NB Hsize) in *.
    rewrite <- En in *.
    destruct Hpast as [E|[_ Hsame]]; [contradiction|]. destruct HcF as [E|[En' Hsame']];
      [contradiction|].
    assert (H1 : 1 <= of_rational (ratio_of past j k) /\
      before n B' (outputs M r from to) t j <= of_rational (ratio_of past j k) * before n B'
        (outputs M r from to) t k).
    { destruct Cp as [[N _]|[_ [Cp Op]]]; [contradiction|].
      rewrite En in *. apply (one_side_sound B unit over past B' e); auto; apply HB'. }
    assert (H2 : 1 <= of_rational (ratio_of future j k) /\
      before n (fun s => forward c (T - S s)%nat) (turned T (outputs M r from to)) (T - t) j <=
      of_rational (ratio_of future j k) * before n (fun s => forward c (T - S s)%nat)
        (turned T (outputs M r from to)) (T - t) k).
    { destruct Cf as [[N _]|[_ [Cf Of]]]; [contradiction|].
      rewrite En' in *. apply (one_side_sound F unit over' future _ (turned T e)); auto.
      - intros s. apply Hc.
      - apply turned_bounded. assumption.
      - intros s a b Hs Ha Hb. apply Hsame'; auto. lia. }
    destruct H1 as [H1 X]. destruct H2 as [H2 Y].
    apply (leak_sound n c B' e T M t from to x (of_rational (ratio_of past j k))
      (of_rational (ratio_of future j k)) j k r); auto.
    rewrite !future_from by assumption. exact Y.
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

(** What a time's tables prove. *)
Lemma tight_time B F unit claimed budgets tables t past future v :
  well_formed (List.length (given B)) B -> well_formed (List.length (given F)) F ->
    same_size B F = true -> (0 < unit)%Z ->
  Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w)) (map snd budgets)
    (map fst budgets) -> finite budgets = true ->
  encloses claimed (of_level v) ->
  check_times (size B F) B F unit claimed [] (map (fun b => (snd b, on_grid unit (snd b))) budgets)
    tables = true ->
  nth_error tables t = Some (Some (past, future)) ->
  forall e, Claims.budgets (map fst budgets) e -> (forall s, 0 <= e s) ->
  leaks_no_more (given B) (given F) e (List.length budgets - 1) t v.
Proof.
  intros HB HF Hsize Hu Hls Hfin Hv H Ht e He He0.
  destruct (check_times_sound _ _ _ _ _ _ _ _ t past future H Ht)
    as [budget [z [Hbz [Sp [Sf [Cp [Cf Hprod]]]]]]].
  rewrite app_nil_r in Cp. rewrite nth_error_map in Hbz.
  destruct (nth_error budgets t) as [[w one]|] eqn:Ew; [|discriminate]. simpl in Hbz.
    injection Hbz as <- <-.
  assert (HtT : (t < List.length budgets)%nat) by (apply nth_error_Some; congruence).
  set (T := (List.length budgets - 1)%nat).
  (* every budget is on the grid *)
  assert (Hevery : forall s, (s < List.length budgets)%nat -> exists w1 one1, nth_error budgets s =
    Some (w1, one1) /\
            encloses one1 (Some (e s)) /\ exp (e s) * IZR unit <= IZR (on_grid unit one1)).
  { intros s Hs. destruct (known_budget budgets e Hls Hfin He s Hs)
    as [w1 [one1 [E1 [Henc Hpos]]]].
    exists w1, one1. auto using on_grid_sound. }
  destruct (Hevery t HtT) as [w1 [one1 [E1 [Hone _]]]]. rewrite Ew in E1. injection E1 as <- <-.
  (* the budgets before and after *)
  set (bz := map (fun b : written_level * enclosure => (snd b, on_grid unit (snd b))) budgets) in
    *.
  assert (Hzs : forall s, (s < List.length budgets)%nat -> exp (e s) * IZR unit <= IZR
    (nth s (map snd bz) 0%Z)).
  { intros s Hs. destruct (Hevery s Hs) as [w2 [one2 [E2 [_ H2]]]].
    rewrite (nth_error_nth (map snd bz) s 0%Z (x := on_grid unit one2)); [assumption|].
    unfold bz. rewrite !nth_error_map, E2. reflexivity. }
  assert (Hlbz : List.length bz = List.length budgets) by (unfold bz; apply map_length).
  assert (Hbefore : match t with O => True | S s => budgets_above unit e s
    (rev (map snd (firstn t bz))) end).
  { destruct t as [|s]; [exact I|]. split.
    - rewrite rev_length, map_length, firstn_length. lia.
    - intros i Hi. rewrite rev_nth by (rewrite map_length, firstn_length; lia).
      rewrite map_length, firstn_length. rewrite <- firstn_map.
      replace (Nat.min (S s) (List.length bz) - S i)%nat with (s - i)%nat by lia.
      rewrite <- (firstn_skipn (S s) (map snd bz)) in Hzs. specialize (Hzs (s - i)%nat ltac:(lia)).
      rewrite app_nth1 in Hzs by (rewrite firstn_length, map_length; lia). exact Hzs. }
  assert (Hafter : match (T - t)%nat with O => True | S s => budgets_above unit (turned T e) s
    (map snd (skipn (S t) bz)) end).
  { destruct (T - t)%nat as [|s] eqn:Es; [exact I|]. unfold T in Es. split.
    - rewrite map_length, skipn_length. lia.
    - intros i Hi. rewrite <- skipn_map. unfold turned.
      replace (T - (s - i))%nat with (S t + i)%nat by (unfold T; lia).
      specialize (Hzs (S t + i)%nat ltac:(lia)).
      rewrite <- (firstn_skipn (S t) (map snd bz)) in Hzs.
        rewrite app_nth2 in Hzs by (rewrite firstn_length, map_length; lia).
      rewrite firstn_length, map_length in Hzs.
        replace (S t + i - Nat.min (S t) (List.length bz))%nat with i in Hzs by lia. exact Hzs. }
  assert (Hside : forall M nearest table e' s, well_formed (List.length (given M)) M ->
    (forall s, 0 <= e' s) ->
    match s with O => True | S r => budgets_above unit e' r nearest end ->
      check_side (List.length (given M)) M unit nearest table = true ->
    given M = [] /\ forallb (forallb (fun x => (Zpos (snd x) <=? fst x)%Z)) table = true \/
    given M <> [] /\
      all_pairs M unit table (over_side (List.length (given M)) M unit nearest) = true /\
      proves M unit (over_side (List.length (given M)) M unit nearest) e' s).
  { intros M nearest table e' s HM He' Hnear Hc. unfold check_side in Hc.
    destruct (given M) as [|f fs] eqn:EM; [left; auto|].
    right. split; [discriminate|]. rewrite <- EM in *. split; [exact Hc|].
    destruct s as [|r]; [intros ? ? ? ? ? ? ?; exact I|]. unfold over_side.
    destruct (unspent unit nearest) eqn:Ez; [apply (unspent_sound M unit nearest); assumption|].
    apply proves_every; auto. intros c z Hz Hover. eapply swept_sound; eassumption. }
  apply (sides_sound B F unit
    (over_side (List.length (given B)) B unit (rev (map snd (firstn t bz))))
    (over_side (List.length (given F)) F unit (map snd (skipn (S t) bz))) one claimed past future);
      auto; [unfold T; lia| |].
  - apply Hside; auto. destruct (empty_or (given B)) as [EB|NB];
    [|rewrite <- (size_left B F NB Hsize); exact Cp].
    unfold check_side in *. rewrite EB in *. exact Cp.
  - apply Hside; auto; [intros s; apply He0|]. destruct (empty_or (given F)) as [EF|NF];
    [|rewrite <- (size_right B F NF Hsize); exact Cf].
    unfold check_side in *. rewrite EF in *. exact Cf.
Qed.

Lemma read_table_square n j table : read_table n j = Done table -> square n table.
Proof. unfold read_table. intros H. step H. injection H as <-. clean. apply is_square_sound.
  assumption. Qed.

Lemma each_from_length {A} at_item (f : json -> result A) l found : each_from at_item f l = Done
  found -> List.length found = List.length l.
Proof.
  revert at_item found. induction l as [|j l IH]; intros at_item found H; cbn [each_from] in H.
  - injection H as <-. reflexivity.
  - destruct (f j); simpl in H; try discriminate. step H. injection H as <-. simpl. f_equal.
    eapply IH. eassumption.
Qed.

Lemma read_tables_length n count M j tables : read_tables n count M j = Done tables ->
  List.length tables = count.
Proof.
  unfold read_tables. intros H. destruct (given M).
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
  well_formed (List.length (given B)) B /\ well_formed (List.length (given F)) F /\
    same_size B F = true.
Proof.
  unfold read_stream. intros H. step H. injection H as <- <- ->. clean.
  match goal with E : each (read_level _) _ = Done _ |- _ => apply each_levels in E end.
  match goal with E : read_known _ _ = Done _ |- _ => apply read_known_sound in E end. auto.
Qed.

Lemma check_tight_upper_sound l c : check_tight_upper l = Done c -> holds c.
Proof.
  unfold check_tight_upper. intros H. do 9 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean.
  match goal with E : read_stream _ _ _ _ = Done (?bits, ?budgets, (?one, ?other)) |- _ =>
    rename budgets into levels, one into B, other into F; destruct (read_stream_sound _ _ _ _ _ _ _
      _ E) as [Hls [Hfin [HB [HF Hsize]]]] end.
  intros e' t He He0 Ht Htime. rewrite map_length in *.
  match goal with E8 : read_tables _ _ B _ = Done ?x, E9 : read_tables _ _ F _ = Done ?y, E11 :
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
