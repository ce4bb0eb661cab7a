(** The verified checker on an adversary who does not know which of several chains it is: the
    mixture
    rule, and answers evaluated on the mixture, in integers. *)

From TPL Require Export CheckLower.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** Candidates *)

Definition in_steady_state :=
  "the values are one of the chains, with the probabilities of the prior, and stationary".

(** What is read of one candidate: its distribution, its two matrices, and what the kind has
    more. *)
Definition candidate (A : Type) := (list rational * (distributions * distributions) * A)%type.
Definition written_of_candidate {A} (one : candidate A) : written_chain :=
  let '(p, (B, F), _) := one in (p, (given B, given F)).

Definition read_candidate {A} (keys : list string) (more : nat -> list json -> result A) (j : json)
  : result (candidate A) :=
  let! l := fields ("stationary" :: "backward" :: "forward" :: keys) j in
  match l with
  | p :: b :: f :: rest =>
      let! entries := inside ".stationary" (some_items most_states p) in
      let! row := inside ".stationary" (each number entries) in
      let! B := inside ".backward" (read_matrix b) in
      let! F := inside ".forward" (read_matrix f) in
      let! a := more (List.length row) rest in
      Done (row, (B, F), a)
  | _ => Rejected "" "other fields are expected"
  end.

Definition transposed (n : nat) (rows : list (list Z)) : list (list Z) :=
  fold_right (fun row columns => map (fun both => fst both :: snd both) (combine row columns))
    (repeat [] n) rows.

(** p_a F_ab = p_b B_ba, p in any units. *)
Definition is_reversal (n : nat) (p : list Z) (B F : distributions) : bool :=
  forallb (fun one => let '(x, (row, column)) := one in
    forallb (fun two => let '(y, (f, b)) := two in x * f * common B =? y * b * common F)
      (combine p (combine row column)))
    (combine p (combine (units F) (transposed n (units B)))).

Definition positive (row : list Z) : bool := forallb (Z.ltb 0) row.

(** The probabilities of the candidates, their distributions, and they. *)
Definition read_candidates {A} (keys : list string) (more : nat -> list json -> result A)
  (prior chains : json) : result (distributions * distributions * list (candidate A)) :=
  let! listed := inside "chains" (some_items most_states chains) in
  let! all := inside "chains" (each (read_candidate keys more) listed) in
  let n := size_of (map written_of_candidate all) in
  let! entries := inside "prior" (items_exactly (List.length all) prior) in
  let! row := inside "prior" (each number entries) in
  let! own := inside "prior" (over_one (List.length all) [row]) in
  let! rows := inside "chains" (over_one n (map (fun one => fst (fst one)) all)) in
  let! _ := inside "prior" (require (positive (nth 0 (units own) [])) "a probability is 0") in
  let! _ := inside "chains" (require (forallb (fun both =>
      let '(p, (_, (B, F), _)) := both in
      Nat.eqb (List.length (given B)) n && Nat.eqb (List.length (given F)) n && positive p &&
        is_reversal n p B F) (combine (units rows) all))
    "a matrix is of another size, or not the reversal, or a probability is 0") in
  Done (own, rows, all).

(** Of each candidate prior times probability, for each value, and their sums, in the same units.
    *)
Definition weights (own rows : distributions) : list (list Z) :=
  map (fun both => map (Z.mul (fst both)) (snd both)) (combine (nth 0 (units own) []) (units
    rows)).
Definition sums_of_weights (n : nat) (own rows : distributions) : list Z :=
  add_rows (units rows) (nth 0 (units own) []) (repeat 0 n).

(** What the kinds begin with; t, from 0. *)
Definition read_asked (digit assumed epsilons time : json)
  : result (Z * list (written_level * enclosure) * nat) :=
  let! bits := inside "digits" (digits digit) in
  let! _ := inside "assumed" (assumes [every_step; in_steady_state] assumed) in
  let! asked := inside "epsilons" (some_items most_steps epsilons) in
  let! budgets := inside "epsilons" (each (read_level bits) asked) in
  let! _ := inside "epsilons" (require (finite budgets) "finite levels are expected") in
  let! t := inside "time" (integer 1 (Z.of_nat (List.length budgets)) time) in
  Done (bits, budgets, Z.to_nat (t - 1)).

(** ** mixture-upper *)

Definition one_table (n : nat) (j : json) : result (list (list rational)) :=
  let! l := items_exactly 1 j in
  let! tables := each (read_table n) l in
  match tables with [table] => Done table | _ => Rejected "" "one table is expected" end.
Definition two_tables (n : nat) (l : list json)
  : result (list (list rational) * list (list rational)) :=
  match l with
  | [past; future] =>
      let! p := inside ".past" (one_table n past) in
      let! f := inside ".future" (one_table n future) in
      Done (p, f)
  | _ => Rejected "" "other fields are expected"
  end.

(** The budget, the two ratios of each pair, and how much more the one value makes the candidate
    likely than the other does, come to at most the claim. *)
Definition mixed_at_most (budget claimed : enclosure) (w s : list Z) (past future :
  list (list rational)) : bool :=
  at_most budget claimed &&
  forallb (fun one => let '((wj, sj), (xs, ys)) := one in
    forallb (fun two => let '((wk, sk), (x, y)) := two in
      let p := (fst x * fst y * (wj * sk), Zpos (snd x) * Zpos (snd y) * (wk * sj)) in
      (fst p <=? snd p) || at_most (plus budget (of_ratio p)) claimed)
      (combine (combine w s) (combine xs ys)))
    (combine (combine w s) (combine past future)).

Definition candidate_holds (n : nat) (unit : Z) (grids : list Z) (t : nat) (budget claimed :
  enclosure) (w s : list Z)
  (one : candidate (list (list rational) * list (list rational))) : bool :=
  let '(_, (B, F), (past, future)) := one in
  is_square n past && is_square n future &&
  check_side n unit (map (pair B) (rev (firstn t grids))) past &&
  check_side n unit (map (pair F) (skipn (S t) grids)) future &&
  mixed_at_most budget claimed w s past future.

Definition check_mixture_upper (l : list json) : result claim :=
  match l with
  | [d; assumed; prior; chains; epsilons; time; level] =>
      let! (bits, budgets, t) := read_asked d assumed epsilons time in
      let! (own, rows, all) := read_candidates ["past"; "future"] two_tables prior chains in
      let n := size_of (map written_of_candidate all) in
      let! (v, claimed) := inside "level" (read_level bits level) in
      let unit := two_to bits in
      let grids := map (fun b => on_grid unit (snd b)) budgets in
      match nth_error budgets t with
      | None => Rejected "time" "there is no such time"
      | Some (_, budget) =>
          let! _ := require (forallb (fun both => candidate_holds n unit grids t budget claimed
            (fst both) (sums_of_weights n own rows) (snd both)) (combine (weights own rows) all))
            "a ratio or the level is not proved" in
          Done (Mixture_upper (nth 0 (given own) []) (map written_of_candidate all)
            (map fst budgets) t v)
      end
  | _ => Rejected "" "other fields are expected"
  end.

(** ** mixture-lower *)

(** f of both sides after the answers yes, from below for j and from above for k, times the
    weights:
    added up over the candidates. *)
Definition one_answered (n : nat) (unit : Z) (pasts futures : list (list bool)) (grids :
  list (Z * Z)) (t j k : nat) (B F : distributions) : Z * Z :=
  let ones := repeat unit n in
  let before := answered (repeat B (List.length pasts)) unit pasts (firstn t grids) ones ones in
  let after := answered (repeat F (List.length futures)) unit futures
    (firstn (List.length futures) (rev grids)) ones ones in
  (nth j (fst before) 0 * nth j (fst after) 0, nth k (snd before) 0 * nth k (snd after) 0).
Fixpoint all_answered (one : distributions -> distributions -> Z * Z) (j k : nat)
  (weighted : list (list Z * candidate unit)) : Z * Z :=
  match weighted with
  | [] => (0, 0)
  | (w, (_, (B, F), _)) :: rest =>
      let (low, high) := all_answered one j k rest in
      let (x, y) := one B F in (nth j w 0 * x + low, nth k w 0 * y + high)
  end.

Definition nothing_more (_ : nat) (l : list json) : result unit :=
  match l with [] => Done tt | _ => Rejected "" "other fields are expected" end.

Definition check_mixture_lower (l : list json) : result claim :=
  match l with
  | [d; assumed; prior; chains; epsilons; time; two; past; future; level] =>
      let! (bits, budgets, t) := read_asked d assumed epsilons time in
      let! (own, rows_of, all) := read_candidates [] nothing_more prior chains in
      let n := size_of (map written_of_candidate all) in
      let! chosen := inside "rows" (rows n two) in
      match chosen, nth_error budgets t with
      | Some (j, k), Some (_, budget) =>
          let! _ := inside "rows" (require (negb (Nat.eqb j k) && Nat.ltb j n && Nat.ltb k n)
            "two values are expected") in
          let! pasts := inside "past" (read_sets n past) in
          let! futures := inside "future" (read_sets n future) in
          let! _ := inside "past" (require (Nat.eqb (List.length pasts) t)
            "a set for each time is expected") in
          let! _ := inside "future" (require (Nat.eqb (List.length futures)
            (List.length budgets - 1 - t)) "a set for each time is expected") in
          let unit := two_to bits in
          let grids := map (fun b => (grid_below unit (snd b), on_grid unit (snd b))) budgets in
          let (low, high) := all_answered (one_answered n unit pasts futures grids t j k) j k
            (combine (weights own rows_of) all) in
          let s := sums_of_weights n own rows_of in
          let p := (low * nth k s 0, high * nth j s 0) in
          let! (v, claimed) := inside "level" (read_level bits level) in
          let! _ := inside "level" (require (at_most claimed (times budget
            (if (0 <? snd p) && (snd p <? fst p) then Some p else None))) "it is not attained") in
          Done (Mixture_lower (nth 0 (given own) []) (map written_of_candidate all)
            (map fst budgets) t j k v)
      | _, _ => Rejected "rows" "two values are expected"
      end
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma transposed_nth n rows : (forall b, (b < List.length rows)%nat ->
  List.length (nth b rows []) = n) ->
  List.length (transposed n rows) = n /\ forall a, (a < n)%nat ->
  List.length (nth a (transposed n rows) []) = List.length rows /\
  forall b, nth b (nth a (transposed n rows) []) 0%Z = nth a (nth b rows []) 0%Z.
Proof.
  induction rows as [|row rows IH]; intros H.
  - cbn. split; [apply repeat_length|]. intros a Ha. rewrite nth_repeat_lt by assumption.
    split; [reflexivity|]. intros b. destruct b, a; reflexivity.
  - destruct IH as [L IH]; [intros b Hb; apply (H (S b)); cbn; lia|].
    assert (Erow : List.length row = n) by (apply (H 0%nat); cbn; lia).
    cbn [transposed fold_right]. fold (transposed n rows). split.
    + rewrite map_length, combine_length. lia.
    + intros a Ha. destruct (IH a Ha) as [La IHa].
      assert (E : nth a (map (fun both => fst both :: snd both) (combine row (transposed n rows)))
        [] = nth a row 0%Z :: nth a (transposed n rows) []).
      { rewrite (nth_indep _ [] ((fun both : Z * list Z => fst both :: snd both) (0%Z, [])))
          by (rewrite map_length, combine_length; lia).
        rewrite (map_nth (fun both : Z * list Z => fst both :: snd both)), combine_nth by lia.
        reflexivity. }
      rewrite E. cbn [List.length]. split; [congruence|]. intros [|b]; cbn [nth]; auto.
Qed.

Lemma positive_sound row i : positive row = true -> (i < List.length row)%nat ->
  (0 < nth i row 0)%Z.
Proof.
  intros H Hi. unfold positive in H. rewrite forallb_forall in H.
  apply Z.ltb_lt. apply (H (nth i row 0%Z)). apply nth_In. assumption.
Qed.

Lemma is_reversal_sound n p B F : well_formed n B -> well_formed n F -> List.length p = n ->
  List.length (given B) = n -> List.length (given F) = n -> is_reversal n p B F = true ->
  forall a b, (a < n)%nat -> (b < n)%nat ->
  IZR (nth a p 0%Z) * of_matrix (given F) a b = IZR (nth b p 0%Z) * of_matrix (given B) b a.
Proof.
  intros [Hc [El Hall]] [Hc' [El' Hall']] Lp LB LF H a b Ha Hb. rewrite LB in *. rewrite LF in *.
  destruct (transposed_nth n (units B)) as [Lt Ht]; [intros d Hd; apply Hall; lia|].
  destruct (Ht a Ha) as [La Hta]. destruct (Hall' a Ha) as [Lfa [_ HFa]].
  destruct (Hall b Hb) as [_ [_ HBb]]. unfold units_of in HFa, HBb.
  unfold is_reversal in H. rewrite forallb_forall in H.
  specialize (H (nth a p 0%Z, nth a (combine (units F) (transposed n (units B))) ([], []))).
  rewrite combine_nth in H by congruence. cbv beta iota in H.
  assert (H1 : In (nth a p 0%Z, (nth a (units F) [], nth a (transposed n (units B)) []))
    (combine p (combine (units F) (transposed n (units B))))).
  { pose proof (in_combine_nth p (combine (units F) (transposed n (units B))) a 0%Z ([], []))
      as Hi. rewrite combine_nth in Hi by congruence. apply Hi; rewrite ?combine_length; lia. }
  specialize (H H1). rewrite forallb_forall in H.
  specialize (H (nth b p 0%Z, (nth b (nth a (units F) []) 0%Z,
    nth b (nth a (transposed n (units B)) []) 0%Z))).
  assert (H2 : In (nth b p 0%Z, (nth b (nth a (units F) []) 0%Z,
    nth b (nth a (transposed n (units B)) []) 0%Z)) (combine p (combine (nth a (units F) [])
      (nth a (transposed n (units B)) [])))).
  { pose proof (in_combine_nth p (combine (nth a (units F) []) (nth a (transposed n (units B)) []))
      b 0%Z (0%Z, 0%Z)) as Hi. rewrite combine_nth in Hi by (rewrite La; congruence).
    apply Hi; rewrite ?combine_length; lia. }
  specialize (H H2). cbv beta iota in H. apply Z.eqb_eq, (f_equal IZR) in H.
  rewrite Hta, !mult_IZR, HFa, HBb in H. apply IZR_lt in Hc, Hc'.
  apply Rmult_eq_reg_l with (IZR (common B) * IZR (common F)); [lra|].
  apply Rgt_not_eq, Rmult_lt_0_compat; assumption.
Qed.

(** What is shown of the candidates that are read. *)
Definition are_read {A} (own rows : distributions) (all : list (candidate A)) : Prop :=
  let n := size_of (map written_of_candidate all) in
  (0 < n)%nat /\ proper_mixture (nth 0 (given own) []) (map written_of_candidate all) /\
  (0 < common own)%Z /\ (0 < common rows)%Z /\
  List.length (weights own rows) = List.length all /\
  List.length (sums_of_weights n own rows) = n /\
  (forall i, (i < List.length all)%nat -> List.length (nth i (weights own rows) []) = n /\
    forall none a, (a < n)%nat -> let '(p, (B, F), _) := nth i all none in
    well_formed n B /\ well_formed n F /\
    IZR (nth a (nth i (weights own rows) []) 0%Z) = IZR (common own) * IZR (common rows) *
      (of_row (nth 0 (given own) []) i * of_row p a)) /\
  forall none a, (a < n)%nat -> IZR (nth a (sums_of_weights n own rows) 0%Z) =
    IZR (common own) * IZR (common rows) *
    sum (List.length all) (fun i => of_row (nth 0 (given own) []) i *
      of_row (fst (fst (nth i all none))) a).

Lemma read_candidates_sound {A} keys (more : nat -> list json -> result A) prior chains own rows
  all : read_candidates keys more prior chains = Done (own, rows, all) -> are_read own rows all.
Proof.
  unfold read_candidates. intros H. step H. injection H as -> -> ->. clean.
  match goal with E : some_items _ _ = Done ?x, E' : each _ ?x = Done all |- _ =>
    unfold some_items in E; step E; injection E as ->; clean;
    pose proof (each_from_length _ _ _ _ E') as Lall; rename E' into Hread end.
  match goal with E : Nat.leb 1 _ = true |- _ => apply Nat.leb_le in E; rewrite <- Lall in E;
    rename E into Hsome end.
  match goal with E : items_exactly _ prior = Done ?x, E' : each number ?x = Done _ |- _ =>
    unfold items_exactly in E; step E; injection E as ->; clean;
    match goal with E'' : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in E'';
      rewrite <- (each_from_length _ _ _ _ E') in E''; rename E'' into Lprior end end.
  match goal with E : over_one _ [?r] = Done own |- _ => rename r into row;
    destruct (over_one_sound _ _ _ E) as [Gown Hown]; clear E end.
  match goal with E : over_one _ _ = Done rows |- _ =>
    destruct (over_one_sound _ _ _ E) as [Grows Hrows]; clear E end.
  match goal with E : forallb _ _ = true |- _ => rename E into Hgood end.
  match goal with E : positive _ = true |- _ => rename E into Hpos end.
  set (n := size_of (map written_of_candidate all)) in *.
  unfold are_read. fold n. rewrite Gown. cbn [nth]. destruct Hown as [Cown [Lown Hown]].
  rewrite Gown in Lown, Hown.
  destruct (Hown 0%nat ltac:(cbn; lia)) as [Lrow [Drow Urow]]. cbn [nth] in Drow.
  unfold units_of in Urow. unfold of_matrix in Drow, Urow. cbn [nth] in Drow, Urow.
  destruct Hrows as [Crows [Lrows Hrows]]. rewrite Grows, map_length in Lrows, Hrows.
  assert (Lru : List.length (units rows) = @List.length (candidate A) all) by exact Lrows.
  assert (Hrow : forall i (none : candidate A), (i < List.length all)%nat ->
    List.length (nth i (units rows) []) = n /\ distribution n (of_row (fst (fst (nth i all none))))
    /\ forall a, IZR (nth a (nth i (units rows) []) 0%Z) = IZR (common rows) *
      of_row (fst (fst (nth i all none))) a).
  { intros i none Hi. destruct (Hrows i Hi) as [L [D U]]. unfold units_of in U.
    unfold of_matrix in D, U.
    rewrite (nth_indep _ [] ((fun one : candidate A => fst (fst one)) none)) in D, U
      by (rewrite map_length; assumption).
    rewrite (map_nth (fun one : candidate A => fst (fst one))) in D, U. auto. }
  assert (Hone : forall i (none : candidate A), (i < List.length all)%nat ->
    let '(p, (B, F), _) := nth i all none in
    (0 < List.length p)%nat /\ (List.length (given B) = n /\ List.length (given F) = n /\
    well_formed n B /\ well_formed n F) /\ (forall a, (a < n)%nat -> 0 < of_row p a) /\
    forall a b, (a < n)%nat -> (b < n)%nat -> of_row p a * of_matrix (given F) a b =
      of_row p b * of_matrix (given B) b a).
  { intros i none Hi. destruct (Hrow i none Hi) as [L [D U]].
    assert (Hin : In (nth i all none) all) by (apply nth_In; assumption).
    assert (Hparts : let '(p, (B, F), _) := nth i all none in (0 < List.length p)%nat /\
      well_formed (List.length (given B)) B /\ well_formed (List.length (given F)) F).
    { clear - Hread Hin. unfold each in Hread. revert Hread Hin. generalize 1%nat.
      generalize (nth i all none). revert all. match goal with |- forall all one at_item,
        each_from at_item _ ?l = _ -> _ => induction l as [|j l IH] end;
        intros all one at_item E Hin; cbn [each_from] in E.
      - injection E as <-. destruct Hin.
      - destruct (read_candidate keys more j) as [x| |] eqn:Ex; cbn in E; try discriminate.
        step E. injection E as <-. destruct Hin as [<-|Hin]; [|eapply IH; eassumption].
        unfold read_candidate in Ex. apply bind_done in Ex. destruct Ex as [l' [_ Ex]].
        destruct l' as [|p [|b [|f rest]]]; try discriminate. step Ex. injection Ex as <-. clean.
        split; [|split; assumption].
        match goal with E1 : some_items _ _ = Done ?y, E2 : each number ?y = Done _ |- _ =>
          apply each_from_length in E2; rewrite E2; unfold some_items in E1; step E1;
          injection E1 as ->; clean end.
        match goal with E1 : Nat.leb 1 _ = true |- _ => apply Nat.leb_le in E1; lia end. }
    rewrite forallb_forall in Hgood. specialize (Hgood (nth i (units rows) [], nth i all none)
      (in_combine_nth (units rows) all i [] none ltac:(rewrite Lru; exact Hi) Lru)). cbv beta
        iota in Hgood.
    destruct (nth i all none) as [[p [B F]] x]. cbn [fst] in D, U.
    apply andb_prop in Hgood. destruct Hgood as [Hgood Hr]. apply andb_prop in Hgood.
    destruct Hgood as [Hgood Hp]. apply andb_prop in Hgood. destruct Hgood as [LB LF].
    apply Nat.eqb_eq in LB, LF. destruct Hparts as [Hp0 [HB HF]].
    split; [assumption|]. rewrite LB in HB. rewrite LF in HF.
    split; [auto|]. assert (HC : 0 < IZR (common rows)) by (apply IZR_lt; assumption). split.
    - intros v Hv. pose proof (positive_sound _ v Hp ltac:(lia)) as H0. apply IZR_lt in H0.
      rewrite U in H0. apply Rmult_lt_reg_l with (IZR (common rows)); [assumption|]. lra.
    - intros v w Hv Hw. pose proof (is_reversal_sound n _ B F HB HF L LB LF Hr v w Hv Hw) as Er.
      rewrite !U in Er. apply Rmult_eq_reg_l with (IZR (common rows)); lra. }
  set (ps := map written_of_candidate all) in *.
  assert (Lps : List.length ps = @List.length (candidate A) all) by apply map_length.
  assert (Eps : forall i none, (i < @List.length (candidate A) all)%nat -> nth i ps no_chain =
    written_of_candidate (nth i all none)).
  { intros i none Hi. unfold ps. rewrite (nth_indep _ no_chain (written_of_candidate none))
      by (rewrite map_length; assumption). apply map_nth. }
  set (pu := nth 0 (units own) []) in *.
  assert (Lpu : List.length pu = @List.length (candidate A) all) by exact Lrow.
  assert (Hprior : forall i, (i < @List.length (candidate A) all)%nat -> 0 < of_row row i).
  { intros i Hi. pose proof (positive_sound pu i Hpos ltac:(rewrite Lpu; exact Hi)) as H0.
    apply IZR_lt in H0. rewrite Urow in H0. apply IZR_lt in Cown.
    apply Rmult_lt_reg_l with (IZR (common own)); [assumption|]. lra. }
  assert (Lw : List.length (weights own rows) = @List.length (candidate A) all).
  { unfold weights. fold pu. rewrite map_length, combine_length, Lpu, Lru. apply Nat.min_id. }
  assert (Hadd : forall v, List.length (sums_of_weights n own rows) = n /\
    IZR (nth v (sums_of_weights n own rows) 0%Z) = IZR (nth v (repeat 0%Z n) 0%Z) +
      sum (List.length (units rows)) (fun b => IZR (nth v (nth b (units rows) []) 0%Z) * IZR
        (nth b pu 0%Z))).
  { intros v. apply add_rows_spec; [|rewrite Lpu, Lru; reflexivity|apply repeat_length].
    intros b Hb. rewrite Lru in Hb.
    destruct all as [|none all']; [cbn in Hb; lia|]. apply (Hrow b none Hb). }
  split.
  { destruct all as [|one all']; [cbn in Hsome; lia|].
    pose proof (Hone 0%nat one ltac:(cbn; lia)) as H1. cbn [nth] in H1.
    destruct one as [[p [B F]] x]. unfold n, size_of, ps. cbn. apply H1. }
  split.
  { unfold proper_mixture. fold n. rewrite Lps. split; [exact Lprior|]. split; [exact Drow|].
    intros i Hi. split; [apply Hprior; assumption|].
    destruct all as [|none all'] eqn:Eall; [cbn in Hi; lia|]. rewrite <- Eall in *.
    rewrite (Eps i none Hi). pose proof (Hone i none Hi) as H1. pose proof (Hrow i none Hi) as H2.
    destruct (nth i all none) as [[p [B F]] x]. cbn [written_of_candidate fst] in *.
    destruct H1 as [_ [[LB [LF [HB HF]]] [Hp Hr]]]. destruct H2 as [_ [D _]].
    repeat match goal with |- _ /\ _ => split end; auto.
    - rewrite <- LB in HB |- *. apply well_formed_stochastic. assumption.
    - rewrite <- LF in HF |- *. apply well_formed_stochastic. assumption. }
  split; [assumption|]. split; [assumption|]. split; [exact Lw|]. split; [apply (Hadd 0%nat)|].
  split.
  - intros i Hi. assert (Ew : nth i (weights own rows) [] =
      map (Z.mul (nth i pu 0%Z)) (nth i (units rows) [])).
    { unfold weights. fold pu. set (f := fun both : Z * list Z => map (Z.mul (fst both)) (snd
      both)).
      rewrite (nth_indep _ [] (f (0%Z, []))) by (rewrite map_length, combine_length, Lpu, Lru,
        Nat.min_id; exact Hi).
      rewrite map_nth, combine_nth by (rewrite Lpu, Lru; reflexivity). reflexivity. }
    rewrite Ew, map_length. destruct all as [|none0 all'] eqn:Eall; [cbn in Hi; lia|].
    rewrite <- Eall in *. split; [apply (Hrow i none0 Hi)|]. intros none v Hv.
    pose proof (Hone i none Hi) as H1. pose proof (Hrow i none Hi) as H2.
    destruct (nth i all none) as [[p [B F]] x]. cbn [fst] in *.
    destruct H1 as [_ [[_ [_ [HB HF]]] _]]. destruct H2 as [L [_ U]].
    split; [assumption|]. split; [assumption|].
    rewrite (nth_indep _ 0%Z (nth i pu 0 * 0)%Z) by (rewrite map_length; lia).
    rewrite map_nth, mult_IZR, Urow, U. ring.
  - intros none v Hv. destruct (Hadd v) as [_ ->]. rewrite nth_repeat_lt, Rplus_0_l by assumption.
    rewrite Lru, <- sum_scale. apply sum_ext. intros i Hi. destruct (Hrow i none Hi) as [_ [_ U]].
    rewrite U, Urow. ring.
Qed.

(** ** One candidate *)

(** A chain that starts from a distribution under which B is the reversal of its matrix F. *)
Definition steady (n : nat) (c : chain) (p : nat -> R) (B F : nat -> nat -> R) : Prop :=
  valid n c /\ stochastic n B /\
  forall a b, (a < n)%nat -> (b < n)%nat -> 0 < p a /\ p a * F a b = p b * B b a /\
    initial c a = p a /\ forall s, forward c s a b = F a b.

Lemma steady_probability n c p B F T t a : steady n c p B F -> (t <= T)%nat -> (a < n)%nat ->
  probability n c T (value t a) = p a.
Proof.
  intros [Hc [HB H]] Ht Ha. rewrite marginal_probability by assumption. clear Ht. unfold marginal.
  revert a Ha. induction t as [|t IH]; intros a Ha; simpl.
  - destruct (H a a Ha Ha) as [_ [_ [-> _]]]. unfold nothing. ring.
  - change (nothing (S t) a) with 1. rewrite Rmult_1_r, (sum_ext n _ (fun b => p a * B a b)).
    + rewrite sum_scale, (proj2 (HB a Ha)). ring.
    + intros b Hb. destruct (H b a Hb Ha) as [_ [E [_ ->]]]. rewrite IH, E by assumption.
      reflexivity.
Qed.

Lemma steady_bayes n c p B F : steady n c p B F -> bayes n c (fun _ => B).
Proof.
  intros H. split; [intros _; apply H|]. intros t a b Ha Hb.
  rewrite !(steady_probability n c p B F) by auto. destruct H as [_ [_ H]].
  destruct (H a b Ha Hb) as [_ [E [_ ->]]]. symmetry. exact E.
Qed.

Lemma steady_forward n c p B F : steady n c p B F -> stochastic n F.
Proof.
  intros [Hc [_ Hall]] a Ha. destruct (proj2 Hc 0%nat a Ha) as [H0 H1]. split.
  - intros b Hb. destruct (Hall a b Ha Hb) as [_ [_ [_ E]]]. rewrite <- (E 0%nat). auto.
  - rewrite <- H1. apply sum_ext. intros b Hb. destruct (Hall a b Ha Hb) as [_ [_ [_ E]]].
    symmetry. apply E.
Qed.

(** A table that is shown has no less than the greatest ratio. *)
Lemma greatest_within n P table B e t j k lambda : (forall s, 0 <= e s) ->
  ratios_one n table -> shown n P e t table -> (forall s, stochastic n (B s)) ->
  (forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat -> B s a b = P s a b) ->
  (j < n)%nat -> (k < n)%nat -> greatest_before n B e t j k lambda ->
  lambda <= of_rational (ratio_of table j k).
Proof.
  intros He H1 Hs HB Hsame Hj Hk Hl.
  set (w := fun s => corner (asked_before n B e t j k lambda s) (exp (e s))).
  pose proof (one_side_sound n P table B e w t ltac:(lia) He H1 Hs HB (corner_bounded n e _ He)
    Hsame j k Hj Hk) as Hup.
  pose proof (greatest_before_attained n B e w t j k lambda HB Hl (fun s a _ _ => eq_refl) Hj Hk)
    as Hat.
  assert (Hpos : 0 < before n B w t k).
  { apply before_positive; auto. intros s b _ _. unfold w, corner. pose proof (exp_pos (e s)).
    destruct (asked_before n B e t j k lambda s b); lra. }
  rewrite Hat in Hup. apply Rmult_le_reg_r with (before n B w t k); assumption.
Qed.

Lemma given_nonneg {O : Type} n c T B e (M : path -> O -> R) o t a : valid n c -> bayes n c B ->
  private_stream n T e M -> (t <= T)%nat -> (a < n)%nat -> 0 < probability n c T (value t a) ->
  0 <= Joint.given n c T (fun l => M l o) (value t a).
Proof.
  intros Hc HB HM Ht Ha Hp. rewrite (given_mean n c T B) by assumption.
  assert (H0 : in_range n origin) by (intros s; unfold origin; lia).
  apply mean_nonneg; auto using in_range_then; [apply HB|]. intros l Hl. apply mean_nonneg; auto.
  - intros s. apply Hc.
  - intros l' Hl'. apply (HM o l' t a); assumption.
Qed.

Lemma describes_repeated n M unit e zs : List.length (given M) = n -> well_formed n M ->
  (forall i, (i < List.length zs)%nat ->
    exp (e (List.length zs - 1 - i)%nat) * IZR unit <= IZR (nth i zs 0%Z)) ->
  describes n (fun _ => of_matrix (given M)) unit e (List.length zs) (map (pair M) zs).
Proof.
  intros En HM. induction zs as [|z zs IH]; intros H; [exact I|]. cbn [List.length map describes].
  split; [auto|]. split.
  - specialize (H 0%nat ltac:(cbn; lia)). cbn [List.length nth] in H.
    replace (S (List.length zs) - 1 - 0)%nat with (List.length zs) in H by lia. exact H.
  - apply IH. intros i Hi. specialize (H (S i) ltac:(cbn; lia)). cbn [List.length nth] in H.
    replace (S (List.length zs) - 1 - S i)%nat with (List.length zs - 1 - i)%nat in H by lia.
    exact H.
Qed.

Lemma combine_cut {A B} (l : list A) (l' : list B) : List.length l = List.length l' ->
  forall i a b, (i < List.length l)%nat -> In ((nth i l a), (nth i l' b)) (combine l l').
Proof. intros E i a b Hi. apply in_combine_nth; assumption. Qed.

Lemma mixed_sound n budget claimed w s past future e v j k : square n past -> square n future ->
  List.length w = n -> List.length s = n ->
  mixed_at_most budget claimed w s past future = true -> encloses budget (Some e) ->
  encloses claimed (Some v) -> (j < n)%nat -> (k < n)%nat ->
  1 <= of_rational (ratio_of past j k) -> 1 <= of_rational (ratio_of future j k) ->
  (0 < nth j w 0)%Z -> (0 < nth k w 0)%Z -> (0 < nth j s 0)%Z -> (0 < nth k s 0)%Z ->
  exp e * (of_rational (ratio_of past j k) * of_rational (ratio_of future j k)) *
    (IZR (nth j w 0%Z) * IZR (nth k s 0%Z)) <=
  exp v * (IZR (nth k w 0%Z) * IZR (nth j s 0%Z)).
Proof.
  intros [Lp Hp] [Lf Hf] Lw Ls H He Hv Hj Hk Rp Rf Wj Wk Sj Sk.
  unfold mixed_at_most in H. apply andb_prop in H. destruct H as [H0 H].
  pose proof (at_most_sound _ _ _ _ He Hv H0) as Hle. simpl in Hle. apply exp_le in Hle.
  rewrite forallb_forall in H.
  specialize (H (nth j w 0%Z, nth j s 0%Z, (nth j past [], nth j future []))).
  assert (H1 : In (nth j w 0%Z, nth j s 0%Z, (nth j past [], nth j future []))
    (combine (combine w s) (combine past future))).
  { pose proof (in_combine_nth (combine w s) (combine past future) j (0%Z, 0%Z) ([], [])) as Hi.
    rewrite !combine_nth in Hi by congruence. apply Hi; rewrite !combine_length; lia. }
  specialize (H H1). cbv beta iota in H. rewrite forallb_forall in H.
  specialize (H (nth k w 0%Z, nth k s 0%Z, (ratio_of past j k, ratio_of future j k))).
  assert (H2 : In (nth k w 0%Z, nth k s 0%Z, (ratio_of past j k, ratio_of future j k))
    (combine (combine w s) (combine (nth j past []) (nth j future [])))).
  { pose proof (in_combine_nth (combine w s) (combine (nth j past []) (nth j future [])) k
      (0%Z, 0%Z) ((1%Z, 1%positive), (1%Z, 1%positive))) as Hi.
    rewrite !combine_nth in Hi by (rewrite ?Hp, ?Hf by assumption; congruence).
    apply Hi; rewrite !combine_length, ?Hp, ?Hf by assumption; lia. }
  specialize (H H2). cbv beta iota zeta in H. cbn [fst snd] in H.
  set (x := ratio_of past j k) in *. set (y := ratio_of future j k) in *.
  set (wj := nth j w 0%Z) in *. set (wk := nth k w 0%Z) in *. set (sj := nth j s 0%Z) in *.
  set (sk := nth k s 0%Z) in *.
  pose proof (IZR_pos (snd x)) as Px. pose proof (IZR_pos (snd y)) as Py.
  assert (Fx : (0 < fst x)%Z).
  { apply lt_IZR. unfold of_rational in Rp. replace (IZR (fst x)) with
      (IZR (fst x) / IZR (Zpos (snd x)) * IZR (Zpos (snd x))) by (field; lra).
    apply Rmult_lt_0_compat; lra. }
  assert (Fy : (0 < fst y)%Z).
  { apply lt_IZR. unfold of_rational in Rf. replace (IZR (fst y)) with
      (IZR (fst y) / IZR (Zpos (snd y)) * IZR (Zpos (snd y))) by (field; lra).
    apply Rmult_lt_0_compat; lra. }
  set (top := (fst x * fst y * (wj * sk))%Z) in *.
  set (bottom := (Zpos (snd x) * Zpos (snd y) * (wk * sj))%Z) in *.
  assert (Ht : (0 < top)%Z) by (unfold top; repeat apply Z.mul_pos_pos; assumption).
  assert (Hb : (0 < bottom)%Z) by (unfold bottom; repeat apply Z.mul_pos_pos; lia).
  assert (Hratio : exp e * IZR top <= exp v * IZR bottom).
  { apply IZR_lt in Ht as HT. apply IZR_lt in Hb as HB. apply orb_prop in H. destruct H as [H|H].
    - apply Z.leb_le, IZR_le in H. pose proof (exp_pos e).
      apply Rle_trans with (exp e * IZR bottom); [apply Rmult_le_compat_l; lra|].
      apply Rmult_le_compat_r; lra.
    - pose proof (of_ratio_sound (top, bottom) Ht ltac:(simpl; lia)) as Hr.
      unfold log_of in Hr. cbn [fst snd] in Hr. destruct (Z.eqb_spec bottom 0); [lia|].
      pose proof (at_most_sound _ _ _ _ (plus_sound _ _ _ _ He Hr) Hv H) as Hall.
      unfold no_more, total in Hall. apply exp_le in Hall.
      rewrite exp_plus, exp_ln in Hall by (apply Rdiv_lt_0_compat; assumption).
      apply Rmult_le_reg_r with (/ IZR bottom); [apply Rinv_0_lt_compat; assumption|].
      unfold Rdiv in Hall. rewrite Rmult_assoc, (Rmult_assoc (exp v)), Rinv_r, Rmult_1_r by lra.
      exact Hall. }
  unfold top, bottom in Hratio. rewrite !mult_IZR in Hratio. unfold of_rational.
  apply Rmult_le_reg_r with (IZR (Zpos (snd x)) * IZR (Zpos (snd y)));
    [apply Rmult_lt_0_compat; assumption|].
  replace (exp e * (IZR (fst x) / IZR (Zpos (snd x)) * (IZR (fst y) / IZR (Zpos (snd y)))) *
    (IZR wj * IZR sk) * (IZR (Zpos (snd x)) * IZR (Zpos (snd y))))
    with (exp e * (IZR (fst x) * IZR (fst y) * (IZR wj * IZR sk))) by (field; lra).
  lra.
Qed.

Lemma candidate_sound {O : Type} n unit grids T t budget claimed w s p B F past future e v c p'
  (M : path -> O -> R) o j k : (0 < unit)%Z -> (forall s, 0 <= e s) -> (t <= T)%nat ->
  List.length grids = S T ->
  (forall i, (i <= T)%nat -> exp (e i) * IZR unit <= IZR (nth i grids 0%Z)) ->
  List.length (given B) = n -> List.length (given F) = n -> well_formed n B -> well_formed n F ->
  candidate_holds n unit grids t budget claimed w s (p, (B, F), (past, future)) = true ->
  encloses budget (Some (e t)) -> encloses claimed (Some v) -> List.length w = n ->
  List.length s = n -> steady n c p' (of_matrix (given B)) (of_matrix (given F)) ->
  private_stream n T e M -> (j < n)%nat -> (k < n)%nat ->
  let r := of_rational (ratio_of past j k) * of_rational (ratio_of future j k) in
  1 <= r /\ Joint.given n c T (fun l => M l o) (value t j) <=
    exp (e t) * r * Joint.given n c T (fun l => M l o) (value t k) /\
  ((0 < nth j w 0)%Z -> (0 < nth k w 0)%Z -> (0 < nth j s 0)%Z -> (0 < nth k s 0)%Z ->
   exp (e t) * r * (IZR (nth j w 0%Z) * IZR (nth k s 0%Z)) <=
   exp v * (IZR (nth k w 0%Z) * IZR (nth j s 0%Z))).
Proof.
  intros Hu He Ht Lg Hg LB LF HB HF H Hb Hv Lw Ls Hst HM Hj Hk r. unfold candidate_holds in H.
  cbv beta iota in H. do 4 (apply andb_prop in H; destruct H as [H ?]).
  repeat match goal with E : is_square _ _ = true |- _ => apply is_square_sound in E end.
  match goal with E : mixed_at_most _ _ _ _ _ _ = true |- _ => rename E into Hmix end.
  assert (L1 : List.length (rev (firstn t grids)) = t) by (rewrite rev_length, firstn_length; lia).
  assert (D1 : describes n (fun _ => of_matrix (given B)) unit e t
    (map (pair B) (rev (firstn t grids)))).
  { rewrite <- L1 at 1. apply describes_repeated; auto. intros i Hi. rewrite L1 in *.
    rewrite rev_nth by (rewrite firstn_length; lia). rewrite firstn_length.
    replace (Nat.min t (List.length grids) - S i)%nat with (t - 1 - i)%nat by lia.
    rewrite nth_first by lia. apply Hg. lia. }
  assert (L2 : List.length (skipn (S t) grids) = (T - t)%nat) by (rewrite skipn_length; lia).
  assert (D2 : describes n (fun _ => of_matrix (given F)) unit (turned T e) (T - t)
    (map (pair F) (skipn (S t) grids))).
  { rewrite <- L2 at 1. apply describes_repeated; auto. intros i Hi. rewrite L2 in *.
    rewrite nth_skip. unfold turned. replace (T - (T - t - 1 - i))%nat with (S t + i)%nat by lia.
    apply Hg. lia. }
  match goal with E : check_side n unit _ past = true, E' : check_side n unit _ future = true,
    Q : square n past, Q' : square n future |- _ =>
    destruct (check_side_sound n _ unit e t _ past Hu He Q D1 E) as [Op Sp];
    destruct (check_side_sound n _ unit (turned T e) (T - t) _ future Hu
      (fun s => He (T - s)%nat) Q' D2 E') as [Of Sf] end.
  pose proof (Op j k Hj Hk) as Rp. pose proof (Of j k Hj Hk) as Rf.
  set (x := of_rational (ratio_of past j k)) in *. set (y := of_rational (ratio_of future j k))
    in *.
  assert (Hr : 1 <= r) by (unfold r; nra). split; [assumption|]. split.
  - pose proof (steady_bayes _ _ _ _ _ Hst) as Hbayes. pose proof Hst as [Hc [HBs Hall]].
    destruct (Hall j k Hj Hk) as [Pj _]. destruct (Hall k j Hk Hj) as [Pk _].
    rewrite <- (steady_probability n c p' _ _ T t j Hst Ht Hj) in Pj.
    rewrite <- (steady_probability n c p' _ _ T t k Hst Ht Hk) in Pk.
    assert (HF' : forall s, stochastic n (forward c (T - S s)%nat)) by (intros i; apply Hc).
    destruct (greatest_before_exists n (fun _ => of_matrix (given B)) e t j k (fun _ => HBs) He Hj
      Hk) as [lambda [L0 Hl]].
    destruct (greatest_before_exists n (fun s => forward c (T - S s)%nat) (turned T e) (T - t) j k
      HF' (fun s => He (T - s)%nat) Hj Hk) as [mu [M0 Hm]].
    pose proof (greatest_within n _ past _ e t j k lambda He Op Sp (fun _ => HBs)
      (fun _ _ _ _ _ _ => eq_refl) Hj Hk Hl) as Hlx.
    pose proof (greatest_within n _ future _ (turned T e) (T - t) j k mu (fun s => He (T - s)%nat)
      Of Sf HF' (fun s a b _ Ha Hb' => proj2 (proj2 (proj2 (Hall a b Ha Hb'))) (T - S s)%nat) Hj Hk
      Hm) as Hmy.
    fold x in Hlx. fold y in Hmy.
    pose proof (joint_TPL n c _ e T M t j k lambda mu o Hc Hbayes He HM Ht Hj Hk Pj Pk Hl Hm)
      as Hle.
    eapply Rle_trans; [exact Hle|]. apply Rmult_le_compat_r.
    + eapply given_nonneg; eassumption.
    + rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply exp_pos|]. unfold r.
      apply Rmult_le_compat; lra.
  - intros Wj Wk Sj Sk. apply (mixed_sound n budget claimed w s past future); auto.
Qed.

(** ** The mixture *)

Lemma read_asked_sound d assumed epsilons time bits budgets t :
  read_asked d assumed epsilons time = Done (bits, budgets, t) ->
  Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w)) (map snd budgets)
    (map fst budgets) /\ finite budgets = true /\ (t < List.length budgets)%nat.
Proof.
  unfold read_asked. intros H. step H. injection H as <- <- <-. clean.
  match goal with E : each (read_level _) _ = Done _ |- _ => apply each_levels in E end.
  match goal with E : integer _ _ _ = Done _ |- _ => apply integer_range in E end.
  split; [assumption|]. split; [assumption|lia].
Qed.

Lemma written_nth {A} (all : list (candidate A)) i none : (i < List.length all)%nat ->
  nth i (map written_of_candidate all) no_chain = written_of_candidate (nth i all none).
Proof.
  intros Hi. rewrite (nth_indep _ no_chain (written_of_candidate none))
    by (rewrite map_length; assumption). apply map_nth.
Qed.

Lemma candidates_steady {A} own rows (all : list (candidate A)) c i none : are_read own rows all ->
  are_candidates (map written_of_candidate all) c -> (i < List.length all)%nat ->
  let n := size_of (map written_of_candidate all) in
  let '(p, (B, F), _) := nth i all none in
  0 < of_row (nth 0 (given own) []) i /\ List.length (given B) = n /\ List.length (given F) = n /\
  steady n (c i) (of_row p) (of_matrix (given B)) (of_matrix (given F)).
Proof.
  intros [_ [[_ [_ Hall]] _]] Hc Hi n. unfold are_candidates in Hc. cbv zeta in *. fold n in
    Hall, Hc.
  rewrite map_length in Hall, Hc. specialize (Hall i Hi). specialize (Hc i Hi).
  rewrite (written_nth all i none Hi) in Hall, Hc.
  destruct (nth i all none) as [[p [B F]] a]. cbn [written_of_candidate] in Hall, Hc.
  destruct Hall as [H0 [LB [LF [_ [HB [_ H1]]]]]]. destruct Hc as [Hv Hc].
  split; [assumption|]. split; [assumption|]. split; [assumption|]. split; [assumption|].
  split; [assumption|]. intros x y Hx Hy. destruct (H1 x y Hx Hy) as [P0 E].
  destruct (Hc x y Hx Hy) as [Ei Ef]. auto.
Qed.

Definition nobody {A} (a : A) : candidate A := ([], (no_matrix, no_matrix), a).

Lemma candidates_over {A} own rows (all : list (candidate A)) c T t x (a0 : A) : are_read own
  rows all ->
  are_candidates (map written_of_candidate all) c -> (t <= T)%nat ->
  let n := size_of (map written_of_candidate all) in (x < n)%nat ->
  over_chains n (List.length all) (of_row (nth 0 (given own) [])) c T (value t x) =
  sum (List.length all) (fun i => of_row (nth 0 (given own) []) i *
    of_row (fst (fst (nth i all (nobody a0)))) x).
Proof.
  intros Hr Hc Ht n Hx. unfold over_chains. apply sum_ext. intros i Hi.
  pose proof (candidates_steady own rows all c i (nobody a0) Hr Hc Hi) as H. cbv zeta in H.
  destruct (nth i all (nobody a0)) as [[p [B F]] a]. destruct H as [_ [_ [_ H]]]. fold n in H.
  rewrite (steady_probability n (c i) (of_row p) _ _ T t x H Ht Hx). reflexivity.
Qed.

Lemma sum_of_positives m f : (0 < m)%nat -> (forall i, (i < m)%nat -> 0 < f i) -> 0 < sum m f.
Proof.
  intros Hm H. apply Rlt_le_trans with (f 0%nat); [apply H; assumption|].
  apply (sum_term m f 0); [|assumption]. intros i Hi. left. auto.
Qed.

(** The weights as numbers: of a candidate and a value, and over all candidates. *)
Lemma weights_positive {A} own rows (all : list (candidate A)) c T t x (a0 : A) : are_read own
  rows all ->
  are_candidates (map written_of_candidate all) c -> (t <= T)%nat -> (0 < List.length all)%nat ->
  let n := size_of (map written_of_candidate all) in (x < n)%nat ->
  let C := IZR (common own) * IZR (common rows) in
  let Z := over_chains n (List.length all) (of_row (nth 0 (given own) [])) c T (value t x) in
  0 < C /\ 0 < Z /\ IZR (nth x (sums_of_weights n own rows) 0%Z) = C * Z /\
  forall i, (i < List.length all)%nat -> 0 < of_row (nth 0 (given own) []) i /\
  0 < probability n (c i) T (value t x) /\
  IZR (nth x (nth i (weights own rows) []) 0%Z) =
    C * (of_row (nth 0 (given own) []) i * probability n (c i) T (value t x)).
Proof.
  intros Hr Hc Ht Hm n Hx C Z. pose proof Hr as [_ [_ [C1 [C2 [_ [_ [Hw Hs]]]]]]].
  apply IZR_lt in C1, C2. assert (HC : 0 < C) by (apply Rmult_lt_0_compat; assumption).
  assert (Hone : forall i, (i < List.length all)%nat -> 0 < of_row (nth 0 (given own) []) i /\
    0 < of_row (fst (fst (nth i all (nobody a0)))) x /\
    probability n (c i) T (value t x) = of_row (fst (fst (nth i all (nobody a0)))) x).
  { intros i Hi. pose proof (candidates_steady own rows all c i (nobody a0) Hr Hc Hi) as H.
    cbv zeta in H. destruct (nth i all (nobody a0)) as [[p [B F]] a]. fold n in H.
    destruct H as [H0 [_ [_ H]]]. split; [assumption|]. cbn [fst].
    split; [apply (proj2 (proj2 H) x x Hx Hx)|].
    apply (steady_probability n (c i) _ _ _ T t x H Ht Hx). }
  assert (EZ := candidates_over own rows all c T t x a0 Hr Hc Ht Hx). cbv zeta in EZ. fold n Z in
    EZ.
  split; [assumption|]. split.
  { rewrite EZ. apply sum_of_positives; [assumption|]. intros i Hi. destruct (Hone i Hi) as [? [?
    _]].
    apply Rmult_lt_0_compat; assumption. }
  split; [rewrite EZ; apply Hs; assumption|]. intros i Hi. destruct (Hone i Hi) as [P1 [P2 E]].
  split; [assumption|]. split; [rewrite E; assumption|]. destruct (Hw i Hi) as [_ H].
  specialize (H (nobody a0) x Hx). rewrite E.
  destruct (nth i all (nobody a0)) as [[p [B F]] a]. apply H.
Qed.

Lemma check_mixture_upper_sound l c : check_mixture_upper l = Done c -> holds c.
Proof.
  unfold check_mixture_upper. intros H.
  destruct l as [|l1 [|l2 [|l3 [|l4 [|l5 [|l6 [|l7 []]]]]]]]; try discriminate. step H.
  match goal with E : read_asked _ _ _ _ = Done (?x, ?y, ?z) |- _ =>
    rename x into bits, y into asked, z into t;
    destruct (read_asked_sound _ _ _ _ _ _ _ E) as [Hls [Hfin Ht]]; clear E end.
  match goal with E : read_candidates _ _ _ _ = Done (?x, ?y, ?z) |- _ =>
    rename x into own, y into rows, z into all; pose proof (read_candidates_sound _ _ _ _ _ _ _ E)
      as Hr; clear E end.
  match type of H with match nth_error ?l ?t with _ => _ end = _ => destruct (nth_error l t)
    as [[w0 budget]|] eqn:Enth; [|discriminate] end.
  step H. injection H as <-. clean.
  match goal with E : forallb _ _ = true |- _ => rename E into Hall end.
  match goal with E : encloses ?x (of_level ?y) |- _ => rename x into claimed, y into v;
    rename E into Hv end.
  set (n := size_of (map written_of_candidate all)) in *.
  cbn [holds]. rewrite map_length. split; [assumption|]. split; [apply Hr|].
  intros e x He He0 Hx O M c o j k Hc HM Hj Hk. fold n in HM, Hj, Hk.
  set (T := (List.length asked - 1)%nat) in *. rewrite Hx in Hv.
  pose proof (known_budget asked e Hls Hfin He) as Hevery.
  destruct (Hevery t Ht) as [w1 [one [E1 [Hone _]]]]. rewrite Enth in E1. injection E1 as <- <-.
  set (unit := two_to bits) in *. assert (Hu : (0 < unit)%Z) by apply two_to_positive.
  set (grids := map (fun b => on_grid unit (snd b)) asked) in *.
  assert (Lg : List.length grids = S T) by (unfold grids, T; rewrite map_length; lia).
  assert (Hg : forall i, (i <= T)%nat -> exp (e i) * IZR unit <= IZR (nth i grids 0%Z)).
  { intros i Hi. destruct (Hevery i ltac:(unfold T in Hi; lia)) as [w2 [one2 [E2 [Henc Hpos]]]].
    rewrite (nth_error_nth grids i 0%Z (x := on_grid unit one2)).
    - apply on_grid_sound; assumption.
    - unfold grids. rewrite nth_error_map, E2. reflexivity. }
  set (m := List.length all) in *. set (prior := of_row (nth 0 (given own) [])).
  pose proof Hr as [Hn [_ [_ [_ [Lw [Ls [Hw _]]]]]]]. cbv zeta in Hw. fold n m in Hn, Lw, Ls, Hw.
  assert (Hm : (0 < m)%nat).
  { destruct all; [cbv in Hn; lia|cbn; lia]. }
  set (none := nobody (@nil (list rational), @nil (list rational))).
  set (ratio := fun i => let '(_, (past, future)) := nth i all none in
    of_rational (ratio_of past j k) * of_rational (ratio_of future j k)).
  assert (Htold : forall g a, told_of_mixture (nth 0 (given own) []) (map written_of_candidate
    all) c T g t
    a =
    given_mixture n m prior c T g (value t a)).
  { intros g x0. unfold told_of_mixture. rewrite map_length. reflexivity. }
  rewrite !Htold.
  assert (Hcand : forall i, (i < m)%nat -> valid n (c i) /\ 1 <= ratio i /\
    Joint.given n (c i) T (fun l => M l o) (value t j) <=
      exp (e t) * ratio i * Joint.given n (c i) T (fun l => M l o) (value t k) /\
    ((0 < nth j (nth i (weights own rows) []) 0)%Z ->
     (0 < nth k (nth i (weights own rows) []) 0)%Z ->
     (0 < nth j (sums_of_weights n own rows) 0)%Z ->
     (0 < nth k (sums_of_weights n own rows) 0)%Z ->
     exp (e t) * ratio i * (IZR (nth j (nth i (weights own rows) []) 0%Z) *
       IZR (nth k (sums_of_weights n own rows) 0%Z)) <=
     exp x * (IZR (nth k (nth i (weights own rows) []) 0%Z) *
       IZR (nth j (sums_of_weights n own rows) 0%Z)))).
  { intros i Hi. rewrite forallb_forall in Hall.
    specialize (Hall (nth i (weights own rows) [], nth i all none)
      (in_combine_nth _ _ i [] none ltac:(rewrite Lw; exact Hi) Lw)). cbn [fst snd] in Hall.
    pose proof (candidates_steady own rows all c i none Hr Hc Hi) as Hst. cbv zeta in Hst.
    destruct (Hw i Hi) as [Lwi Hwi]. specialize (Hwi none j Hj). unfold ratio.
    destruct (nth i all none) as [[p1 [B1 F1]] [past1 future1]]. fold n in Hst.
    destruct Hst as [_ [LB [LF Hst]]]. destruct Hwi as [HB [HF _]]. split; [apply Hst|].
    apply (candidate_sound n unit grids T t budget claimed _ _ p1 B1 F1 past1 future1 e x (c i)
      (of_row p1) M o j k); auto. unfold T. lia. }
  assert (HtT : (t <= T)%nat) by (unfold T; lia).
  destruct (weights_positive own rows all c T t j (@nil (list rational), @nil (list rational)) Hr
    Hc HtT Hm Hj) as [HC [Zj [ESj Wj]]].
  destruct (weights_positive own rows all c T t k (@nil (list rational), @nil (list rational)) Hr
    Hc HtT Hm Hk) as [_ [Zk [ESk Wk]]]. cbv zeta in *. fold n m prior in Zj, Zk, ESj, ESk, Wj, Wk.
  set (C := IZR (common own) * IZR (common rows)) in *.
  set (zj := over_chains n m prior c T (value t j)) in *.
  set (zk := over_chains n m prior c T (value t k)) in *.
  apply (mixture_rule n m prior c T e M t (fun i => e t + ln (ratio i)) (exp x) j k o); auto.
  - intros i Hi. destruct (Wj i Hi) as [P0 _]. destruct (Hcand i Hi) as [Hvalid _].
    split; [left; assumption|assumption].
  - intros i Hi _ _. destruct (Hcand i Hi) as [_ [R1 [Hle _]]].
    rewrite exp_plus, exp_ln by lra. exact Hle.
  - intros i Hi. destruct (Hcand i Hi) as [_ [R1 [_ Hle]]].
    destruct (Wj i Hi) as [P0 [Pj EWj]]. destruct (Wk i Hi) as [_ [Pk EWk]].
    rewrite exp_plus, exp_ln by lra. unfold posterior. fold zj zk.
    assert (Hpos : forall z r, IZR z = C * r -> 0 < r -> (0 < z)%Z).
    { intros z r E Hr0. apply lt_IZR. rewrite E. apply Rmult_lt_0_compat; assumption. }
    specialize (Hle (Hpos _ _ EWj ltac:(apply Rmult_lt_0_compat; assumption))
      (Hpos _ _ EWk ltac:(apply Rmult_lt_0_compat; assumption)) (Hpos _ _ ESj Zj)
      (Hpos _ _ ESk Zk)).
    rewrite EWj, EWk, ESj, ESk in Hle.
    set (wj := prior i * probability n (c i) T (value t j)) in *.
    set (wk := prior i * probability n (c i) T (value t k)) in *.
    apply Rmult_le_reg_r with (C * C * zj * zk);
      [do 3 (apply Rmult_lt_0_compat; [|assumption]); assumption|].
    replace (exp (e t) * ratio i * (wj / zj) * (C * C * zj * zk))
      with (exp (e t) * ratio i * (C * wj * (C * zk))) by (field; lra).
    replace (exp x * (wk / zk) * (C * C * zj * zk)) with (exp x * (C * wk * (C * zj)))
      by (field; lra). exact Hle.
Qed.

(** ** Answers on the mixture *)

Fixpoint factor (m : nat -> R) (t : nat) : R := match t with O => 1 | S s => m s * factor m s end.

Lemma factor_positive m t : (forall s, 0 < m s) -> 0 < factor m t.
Proof. intros H. induction t; simpl; [lra|]. apply Rmult_lt_0_compat; auto. Qed.

Lemma before_factor n B w v m t a : (forall s b, (s < t)%nat -> (b < n)%nat -> w s b = v s b * m s)
  -> (a < n)%nat -> before n B w t a = factor m t * before n B v t a.
Proof.
  intros H. revert a. induction t as [|t IH]; intros a Ha; [simpl; ring|]. simpl.
  rewrite <- dot_scale. apply dot_ext; [reflexivity|]. intros b Hb.
  rewrite !likelihood_before, H, IH by auto. ring.
Qed.

Lemma one_answered_sound n unit grids T t j k pasts futures B F e : (0 < unit)%Z -> (t <= T)%nat ->
  List.length grids = S T ->
  (forall s, (s <= T)%nat -> let p := nth s grids (0%Z, 0%Z) in
    (0 <= fst p)%Z /\ IZR (fst p) <= exp (e s) * IZR unit <= IZR (snd p)) ->
  List.length pasts = t -> List.length futures = (T - t)%nat ->
  (forall i, (i < List.length pasts)%nat -> List.length (nth i pasts []) = n) ->
  (forall i, (i < List.length futures)%nat -> List.length (nth i futures []) = n) ->
  (j < n)%nat -> (k < n)%nat ->
  List.length (given B) = n -> List.length (given F) = n -> well_formed n B -> well_formed n F ->
  let v := fun s => corner (sets_asked T t j pasts futures s) (exp (e s)) in
  let f := fun a => before n (fun _ => of_matrix (given B)) v t a *
    before n (fun _ => of_matrix (given F)) (turned T v) (T - t) a in
  let r := one_answered n unit pasts futures grids t j k B F in
  IZR (fst r) <= f j * (IZR unit * IZR unit) /\ f k * (IZR unit * IZR unit) <= IZR (snd r).
Proof.
  intros Hu Ht Lg Hg Lp Lf Hp Hf Hj Hk LB LF HB HF v f r.
  assert (Hone : forall (up : bool) P w, bounds_of up n unit (before n P w 0) (repeat unit n)).
  { intros up P w. split; [apply repeat_length|]. intros a Ha. rewrite nth_repeat_lt by assumption.
    simpl before. split; [lia|]. split; [lra|]. destruct up; lra. }
  destruct (answered_sound n unit (fun _ => of_matrix (given B)) v e Hu (repeat B (List.length
    pasts))
    pasts (firstn t grids) 0 (repeat unit n) (repeat unit n)) as [L1 M1]; auto.
  { apply repeat_length. }
  { rewrite firstn_length. lia. }
  { intros i a Hi _. change (0 + i)%nat with i. unfold v, sets_asked. destruct (Nat.ltb_spec i
    t); [|lia].
    reflexivity. }
  { intros i Hi. split; [apply Hp; assumption|]. rewrite nth_first by lia.
    change (0 + i)%nat with i. apply Hg. lia. }
  { intros i Hi. rewrite repeat_length in Hi. rewrite nth_repeat_lt by assumption. auto. }
  destruct (answered_sound n unit (fun _ => of_matrix (given F)) (turned T v) (turned T e) Hu
    (repeat F (List.length futures)) futures (firstn (List.length futures) (rev grids)) 0
    (repeat unit n) (repeat unit n)) as [L2 M2]; auto.
  { apply repeat_length. }
  { rewrite firstn_length, rev_length. lia. }
  { intros i a Hi _. change (0 + i)%nat with i. unfold turned, v, sets_asked.
    destruct (Nat.ltb_spec (T - i) t); [lia|]. destruct (Nat.eqb_spec (T - i) t); [lia|].
    replace (T - (T - i))%nat with i by lia. reflexivity. }
  { intros i Hi. split; [apply Hf; assumption|]. rewrite nth_first by assumption.
    rewrite rev_nth by lia. rewrite Lg. replace (S T - S i)%nat with (T - i)%nat by lia.
    unfold turned. change (0 + i)%nat with i. apply Hg. lia. }
  { intros i Hi. rewrite repeat_length in Hi. rewrite nth_repeat_lt by assumption. auto. }
  cbn [Nat.add] in L1, M1, L2, M2. rewrite Lp in L1, M1. rewrite Lf in L2, M2.
  unfold r, one_answered. cbn [fst snd]. rewrite Lp, Lf.
  destruct L1 as [_ L1], L2 as [_ L2], M1 as [_ M1], M2 as [_ M2].
  destruct (L1 j Hj) as [Z1 [F1 B1]], (L2 j Hj) as [Z2 [F2 B2]], (M1 k Hk) as [Z3 [F3 B3]],
    (M2 k Hk) as [Z4 [F4 B4]].
  apply IZR_le in Z1, Z2, Z3, Z4. apply IZR_lt in Hu. unfold f. rewrite !mult_IZR. split.
  - match goal with |- _ <= ?x * ?y * _ => replace (x * y * (IZR unit * IZR unit))
      with (x * IZR unit * (y * IZR unit)) by ring end. apply Rmult_le_compat; assumption.
  - match goal with |- ?x * ?y * _ <= _ => replace (x * y * (IZR unit * IZR unit))
      with (x * IZR unit * (y * IZR unit)) by ring end.
    apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra.
Qed.

Lemma all_answered_sound one j k l fj fk U none m : List.length l = m -> 0 <= U ->
  (forall i, (i < m)%nat -> let '(w, (_, (B, F), _)) := nth i l none in
    (0 <= nth j w 0)%Z /\ (0 <= nth k w 0)%Z /\
    IZR (fst (one B F)) <= fj i * U /\ fk i * U <= IZR (snd (one B F))) ->
  let r := all_answered one j k l in
  IZR (fst r) <= sum m (fun i => IZR (nth j (fst (nth i l none)) 0%Z) * fj i) * U /\
  sum m (fun i => IZR (nth k (fst (nth i l none)) 0%Z) * fk i) * U <= IZR (snd r).
Proof.
  intros <- HU. revert fj fk. induction l as [|[w [[p [B F]] x]] l IH]; intros fj fk H.
  - simpl. lra.
  - destruct (IH (fun i => fj (S i)) (fun i => fk (S i))) as [H1 H2].
    { intros i Hi. apply (H (S i)). cbn. lia. }
    pose proof (H 0%nat ltac:(cbn; lia)) as H0. cbn [nth] in H0. destruct H0 as [W1 [W2 [A1 A2]]].
    cbn [all_answered List.length] in *. cbv zeta in H1, H2.
    destruct (all_answered one j k l) as [low high]. destruct (one B F) as [y z].
    cbn [fst snd] in *. apply IZR_le in W1, W2.
    rewrite !sum_first. cbn [nth fst]. rewrite !plus_IZR, !mult_IZR, !Rmult_plus_distr_r.
    split; apply Rplus_le_compat; auto; rewrite Rmult_assoc; apply Rmult_le_compat_l; assumption.
Qed.

(** What the answers yes come to on one candidate, given the value at t. *)
Lemma jointly_of_one n c p B F e sets T t a : steady n c p B F -> (forall s, 0 <= e s) -> (t <=
  T)%nat ->
  (a < n)%nat ->
  let m := fun s => / (exp (e s) + 1) in
  let v := fun s => corner (sets s) (exp (e s)) in
  jointly n c T (fun l => local_stream T (randomized_response e sets) l (fun _ => true)) (value t
    a)
  = m t * factor m t * factor (turned T m) (T - t) * corner (sets t) (exp (e t)) a *
    (p a * (before n (fun _ => B) v t a * before n (fun _ => F) (turned T v) (T - t) a)).
Proof.
  intros Hst He Ht Ha m v. pose proof (steady_bayes _ _ _ _ _ Hst) as HB.
  pose proof (steady_probability n c p B F T t a Hst Ht Ha) as Ep. pose proof Hst as [Hc [_ Hall]].
  assert (Hp : 0 < probability n c T (value t a)) by (rewrite Ep; apply (Hall a a Ha Ha)).
  set (w := outputs (randomized_response e sets) (fun _ => true) 0 T).
  assert (Ew : forall s b, (s <= T)%nat -> w s b = v s b * m s).
  { intros s b Hs. unfold w, outputs. destruct (Nat.leb_spec s T); [|lia]. simpl.
    unfold randomized_response, v, corner, m. destruct (sets s b); reflexivity. }
  transitivity (probability n c T (value t a) * conditional n c T w (value t a)).
  { rewrite <- given_local. unfold Joint.given. change (fun l : path =>
      local_stream T (randomized_response e sets) l (fun _ => true)) with (product T w).
    field. lra. }
  rewrite (given_value n c T (fun _ => B)), likelihood_before, future_from, Ep, Ew by assumption.
  rewrite (before_factor n _ w v m) by (auto; intros; apply Ew; lia).
  rewrite (before_factor n _ (turned T w) (turned T v) (turned T m))
    by (auto; intros s b Hs _; unfold turned; apply Ew; lia).
  rewrite (before_ext n (fun s => forward c (T - S s)%nat) (fun _ => F) (turned T v) (turned T v));
    [unfold v; ring| |reflexivity|assumption].
  intros s b d _ Hb Hd. apply (Hall b d Hb Hd).
Qed.

Lemma check_mixture_lower_sound l c : check_mixture_lower l = Done c -> holds c.
Proof.
  unfold check_mixture_lower. intros H.
  destruct l as [|l1 [|l2 [|l3 [|l4 [|l5 [|l6 [|l7 [|l8 [|l9 [|l10 []]]]]]]]]]]; try discriminate.
  step H.
  match goal with E : read_asked _ _ _ _ = Done (?x, ?y, ?z) |- _ =>
    rename x into bits, y into asked, z into t;
    destruct (read_asked_sound _ _ _ _ _ _ _ E) as [Hls [Hfin Ht]]; clear E end.
  match goal with E : read_candidates _ _ _ _ = Done (?x, ?y, ?z) |- _ =>
    rename x into own, y into rows_of, z into all;
    pose proof (read_candidates_sound _ _ _ _ _ _ _ E) as Hr; clear E end.
  match goal with chosen : option (nat * nat) |- _ => destruct chosen as [[j k]|];
    [|discriminate] end.
  destruct (nth_error asked t) as [[w0 budget]|] eqn:Enth; [|discriminate].
  set (n := size_of (map written_of_candidate all)) in *. step H.
  match goal with E : all_answered _ _ _ _ = (?x, ?y) |- _ => rename x into low, y into high;
    rename E into Hanswered end.
  injection H as <-. clean.
  match goal with E : encloses ?x (of_level ?y) |- _ => rename x into claimed, y into v0;
    rename E into Hv end.
  match goal with E : _ && _ && _ = true |- _ => apply andb_prop in E; destruct E as [E Hk];
    apply andb_prop in E; destruct E as [Hjk Hj] end.
  apply negb_true_iff, Nat.eqb_neq in Hjk. apply Nat.ltb_lt in Hj, Hk.
  match goal with E1 : (List.length ?x =? t)%nat = true, E2 : (List.length ?y =? _ - 1 - t)%nat =
    true, E3 : read_sets _ _ = Done ?x, E4 : read_sets _ _ = Done ?y |- _ =>
    rename x into pasts, y into futures; apply Nat.eqb_eq in E1, E2; rename E1 into Lp, E2 into Lf;
    pose proof (fun i => read_sets_length n _ pasts i E3) as Hps;
    pose proof (fun i => read_sets_length n _ futures i E4) as Hfs end.
  match goal with E : at_most claimed _ = true |- _ => rename E into Hle end.
  set (T := (List.length asked - 1)%nat) in *.
  set (unit := two_to bits) in *. assert (Hu : (0 < unit)%Z) by apply two_to_positive.
  set (grids := map (fun b => (grid_below unit (snd b), on_grid unit (snd b))) asked) in *.
  set (found := if (_ && _)%bool then _ else None) in Hle.
  assert (Hp : positive_ratio found).
  { unfold found. destruct (_ && _)%bool eqn:Qp; [|exact I]. apply andb_prop in Qp.
    destruct Qp as [Q1 Q2]. apply Z.ltb_lt in Q1, Q2.
    cbn [positive_ratio fst snd] in *. lia. }
  assert (Hlevel : forall e, Claims.budgets (map fst asked) e -> exists x, of_level v0 = Some x /\
    x <= e t + log_ratio found).
  { intros e He. destruct (known_budget asked e Hls Hfin He t Ht) as [w1 [one [Q1 [Hone _]]]].
    rewrite Enth in Q1. injection Q1 as <- <-.
    pose proof (at_most_sound _ _ _ _ Hv (times_sound _ _ _ Hone Hp) Hle) as Hno.
    destruct (of_level v0) as [x|]; [|contradiction]. exists x. auto. }
  cbn [holds]. rewrite map_length. fold T n. split; [assumption|]. split; [apply Hr|].
  split; [assumption|]. split; [assumption|]. split; [assumption|].
  destruct (budgets_some (map fst asked) (Forall2_nonneg _ _ Hls)) as [e0 He0].
  destruct (Hlevel e0 He0) as [x [Ex _]]. exists x. split; [assumption|].
  intros e He Hpos.
  destruct (Hlevel e He) as [x' [Ex' Hx]]. rewrite Ex in Ex'. injection Ex' as <-.
  set (pasts' := match found with None => [] | Some _ => pasts end).
  set (futures' := match found with None => [] | Some _ => futures end).
  set (sets := sets_asked T t j pasts' futures'). exists sets.
  split; [apply randomized_response_private; assumption|].
  intros c Hc. set (m := List.length all).
  pose proof Hr as [Hn [_ [_ [_ [Lw [_ [Hw _]]]]]]]. cbv zeta in Hw. fold n m in Hn, Lw, Hw.
  assert (Hm : (0 < m)%nat) by (destruct all; [cbv in Hn; lia|cbn; lia]).
  assert (HtT : (t <= T)%nat) by (unfold T; lia).
  set (prior := of_row (nth 0 (given own) [])).
  destruct (weights_positive own rows_of all c T t j tt Hr Hc HtT Hm Hj) as [HC [Zj [ESj Wj]]].
  destruct (weights_positive own rows_of all c T t k tt Hr Hc HtT Hm Hk) as [_ [Zk [ESk Wk]]].
  cbv zeta in *. fold n m prior in Zj, Zk, ESj, ESk, Wj, Wk.
  set (C := IZR (common own) * IZR (common rows_of)) in *.
  set (zj := over_chains n m prior c T (value t j)) in *.
  set (zk := over_chains n m prior c T (value t k)) in *.
  set (v := fun s => corner (sets s) (exp (e s))).
  set (f := fun i y => let '(_, (B, F), _) := nth i all (nobody tt) in
    before n (fun _ => of_matrix (given B)) v t y *
    before n (fun _ => of_matrix (given F)) (turned T v) (T - t) y).
  set (G := fun y => sum m (fun i => prior i * probability n (c i) T (value t y) * f i y)).
  set (mm := fun s => / (exp (e s) + 1)).
  set (K := mm t * factor mm t * factor (turned T mm) (T - t)).
  assert (HK : 0 < K).
  { assert (Hmm : forall s, 0 < mm s) by (intros s; apply Rinv_0_lt_compat; pose proof (exp_pos
      (e s)); lra).
    unfold K. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; auto; apply factor_positive;
      auto.
    intros s. apply Hmm. }
  assert (Hsteady : forall i, (i < m)%nat -> let '(q, (B, F), _) := nth i all (nobody tt) in
    List.length (given B) = n /\ List.length (given F) = n /\
    steady n (c i) (of_row q) (of_matrix (given B)) (of_matrix (given F))).
  { intros i Hi. pose proof (candidates_steady own rows_of all c i (nobody tt) Hr Hc Hi) as H.
    cbv zeta in H. fold n in H. destruct (nth i all (nobody tt)) as [[q [B F]] u].
    destruct H as [_ H]. exact H. }
  assert (Htold : forall y, (y < n)%nat -> told_of_mixture (nth 0 (given own) [])
    (map written_of_candidate all) c T (fun l => local_stream T (randomized_response e sets) l
      (fun _ => true)) t y =
    K * corner (sets t) (exp (e t)) y * (G y / over_chains n m prior c T (value t y))).
  { intros y Ha. unfold told_of_mixture. rewrite map_length. fold n m prior. unfold given_mixture.
    rewrite (sum_ext m _ (fun i => K * corner (sets t) (exp (e t)) y *
      (prior i * probability n (c i) T (value t y) * f i y))).
    - rewrite sum_scale. unfold G, Rdiv. ring.
    - intros i Hi. pose proof (Hsteady i Hi) as H. unfold f.
      destruct (nth i all (nobody tt)) as [[q [B F]] u]. destruct H as [_ [_ H]].
      rewrite (jointly_of_one n (c i) _ _ _ e sets T t y H Hpos HtT Ha).
      rewrite (steady_probability n (c i) _ _ _ T t y H HtT Ha). unfold K, mm, v. ring. }
  assert (Hf : forall i y, (i < m)%nat -> (y < n)%nat -> 0 < f i y).
  { intros i y Hi Ha. pose proof (Hsteady i Hi) as H. unfold f.
    destruct (nth i all (nobody tt)) as [[q [B F]] u]. destruct H as [_ [_ Hst]].
    pose proof (steady_forward _ _ _ _ _ Hst) as HF. pose proof Hst as [_ [HB _]].
    assert (Hcorner : forall s b, 0 < v s b).
    { intros s b. unfold v, corner. pose proof (exp_pos (e s)). destruct (sets s b); lra. }
    apply Rmult_lt_0_compat; apply before_positive; auto. intros; apply Hcorner. }
  assert (HG : forall y, (y < n)%nat -> (forall i, (i < m)%nat -> 0 < prior i /\
    0 < probability n (c i) T (value t y)) -> 0 < G y).
  { intros y Ha H. apply sum_of_positives; [assumption|]. intros i Hi. destruct (H i Hi).
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; assumption|apply Hf; assumption]. }
  assert (Gk : 0 < G k).
  { apply HG; [assumption|]. intros i Hi. destruct (Wk i Hi) as [? [? _]]. auto. }
  rewrite !Htold by assumption. fold zj zk.
  assert (Esets : forall y, corner (sets t) (exp (e t)) y = if Nat.eqb y j then exp (e t) else 1).
  { intros y. unfold sets, sets_asked, corner. rewrite Nat.ltb_irrefl, Nat.eqb_refl. reflexivity. }
  rewrite !Esets, Nat.eqb_refl. destruct (Nat.eqb_spec k j); [congruence|].
  assert (Hratio : exp (log_ratio found) * (G k * zj) <= G j * zk).
  { destruct found as [q|] eqn:Qp.
    - (* the sets of the document *)
      unfold found in Qp. destruct (_ && _)%bool eqn:Econd; [|discriminate]. injection Qp as <-.
      apply andb_prop in Econd. destruct Econd as [Q1 Q2]. apply Z.ltb_lt in Q1, Q2.
      cbn [log_ratio fst snd] in Q1, Q2 |- *.
      assert (Lc : List.length (combine (weights own rows_of) all) = m).
      { rewrite combine_length, Lw. apply Nat.min_id. }
      pose proof (all_answered_sound (one_answered n unit pasts futures grids t j k) j k
        (combine (weights own rows_of) all) (fun i => f i j) (fun i => f i k)
        (IZR unit * IZR unit) ([], nobody tt) m Lc) as Hall.
      rewrite Hanswered in Hall. apply IZR_lt in Hu as HU. cbn [fst snd] in Hall.
      assert (Ecomb : forall i, nth i (combine (weights own rows_of) all) ([], nobody tt) =
        (nth i (weights own rows_of) [], nth i all (nobody tt)))
        by (intros i; apply combine_nth; exact Lw).
      assert (Hweights : forall y, IZR (nth y (sums_of_weights n own rows_of) 0%Z) =
        C * over_chains n m prior c T (value t y) -> forall G', (forall i, (i < m)%nat ->
        0 < prior i /\ 0 < probability n (c i) T (value t y) /\
        IZR (nth y (nth i (weights own rows_of) []) 0%Z) =
          C * (prior i * probability n (c i) T (value t y))) ->
        G' = G y -> sum m (fun i => IZR (nth y (fst (nth i (combine (weights own rows_of) all)
          ([], nobody tt))) 0%Z) * f i y) = C * G').
      { intros y _ G' H ->. unfold G. rewrite <- sum_scale. apply sum_ext. intros i Hi.
        destruct (H i Hi) as [_ [_ E]]. rewrite Ecomb. cbn [fst]. rewrite E. ring. }
      destruct Hall as [Hl Hh0].
      { apply Rmult_le_pos; lra. }
      { intros i Hi. rewrite Ecomb. pose proof (Hsteady i Hi) as Hst. destruct (Hw i Hi) as [_
        Hwi].
        specialize (Hwi (nobody tt)). unfold f. destruct (Wj i Hi) as [P0 [P1 E1']].
        destruct (Wk i Hi) as [_ [P2 E2']].
        destruct (nth i all (nobody tt)) as [[q [B F]] u]. destruct Hst as [LB [LF _]].
        destruct (Hwi j Hj) as [HB [HF _]].
        split; [apply le_IZR; rewrite E1'; apply Rmult_le_pos; [|apply Rmult_le_pos]; lra|].
        split; [apply le_IZR; rewrite E2'; apply Rmult_le_pos; [|apply Rmult_le_pos]; lra|].
        apply (one_answered_sound n unit grids T t j k pasts futures B F e); auto.
        - unfold grids, T. rewrite map_length. lia.
        - intros s Hs. destruct (known_budget asked e Hls Hfin He s ltac:(unfold T in Hs; lia))
            as [w2 [one [Q5 [Henc Hpos']]]].
          rewrite (nth_error_nth grids s (0%Z, 0%Z) (x := (grid_below unit one, on_grid unit
            one))).
          + destruct (grid_below_sound unit one (e s) Hu Henc) as [G1 G2].
            pose proof (on_grid_sound unit one (e s) Hu Henc Hpos'). auto.
          + unfold grids. rewrite nth_error_map, Q5. reflexivity. }
      assert (Hlow : IZR low <= C * G j * (IZR unit * IZR unit))
        by (rewrite <- (Hweights j ESj (G j) Wj eq_refl); exact Hl).
      assert (Hhigh : C * G k * (IZR unit * IZR unit) <= IZR high)
        by (rewrite <- (Hweights k ESk (G k) Wk eq_refl); exact Hh0).
      set (sj := nth j (sums_of_weights n own rows_of) 0%Z) in *.
      set (sk := nth k (sums_of_weights n own rows_of) 0%Z) in *.
      assert (Hsj : 0 < IZR sj) by (rewrite ESj; apply Rmult_lt_0_compat; assumption).
      assert (Hh : 0 < IZR high).
      { apply IZR_lt in Q1. rewrite mult_IZR in Q1. apply Rmult_lt_reg_r with (IZR sj);
        [assumption|].
        lra. }
      apply IZR_lt in Q2. apply IZR_lt in Q1. rewrite exp_ln
        by (apply Rdiv_lt_0_compat; [exact (Rlt_trans _ _ _ Q1 Q2)|exact Q1]).
      rewrite !mult_IZR, ESj, ESk.
      replace (IZR low * (C * zk) / (IZR high * (C * zj)) * (G k * zj))
        with (IZR low * G k * zk / IZR high) by (field; lra).
      apply Rmult_le_reg_r with (IZR high); [assumption|].
      replace (IZR low * G k * zk / IZR high * IZR high) with (IZR low * G k * zk) by (field; lra).
      assert (Gj : 0 < G j).
      { apply HG; [assumption|]. intros i Hi. destruct (Wj i Hi) as [? [? _]]. auto. }
      apply Rle_trans with (C * G j * (IZR unit * IZR unit) * G k * zk).
      + apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; lra.
      + replace (C * G j * (IZR unit * IZR unit) * G k * zk)
          with (G j * zk * (C * G k * (IZR unit * IZR unit))) by ring.
        apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption].
    - (* nothing else is asked *)
      assert (Eone : forall y, (y < n)%nat -> G y = over_chains n m prior c T (value t y)).
      { intros y Ha. apply sum_ext. intros i Hi. pose proof (Hsteady i Hi) as H. unfold f.
        destruct (nth i all (nobody tt)) as [[q [B F]] u]. destruct H as [_ [_ Hst]].
        rewrite !before_nothing; [ring| | | | | |]; auto.
        - intros _. apply (steady_forward _ _ _ _ _ Hst).
        - intros s b Hs. unfold turned, v, sets, sets_asked, futures', corner.
          destruct (Nat.ltb_spec (T - s) t); [lia|]. destruct (Nat.eqb_spec (T - s) t); [lia|].
          destruct (T - (T - s))%nat, b; reflexivity.
        - intros _. apply Hst.
        - intros s b Hs. unfold v, sets, sets_asked, pasts', corner.
          destruct (Nat.ltb_spec s t); [|lia]. destruct s, b; reflexivity. }
      rewrite !Eone by assumption. fold zj zk. cbn. rewrite exp_0. lra. }
  split.
  - apply Rmult_le_reg_r with (zj * zk); [apply Rmult_lt_0_compat; assumption|].
    replace (exp x * (K * 1 * (G k / zk)) * (zj * zk)) with (K * (exp x * (G k * zj)))
      by (field; lra).
    replace (K * exp (e t) * (G j / zj) * (zj * zk)) with (K * (exp (e t) * (G j * zk)))
      by (field; lra).
    apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (exp (e t + log_ratio found) * (G k * zj)).
    + apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|apply exp_le; assumption].
    + rewrite exp_plus, Rmult_assoc. apply Rmult_le_compat_l; [left; apply exp_pos|assumption].
  - rewrite Rmult_1_r. apply Rmult_lt_0_compat; [assumption|apply Rdiv_lt_0_compat; assumption].
Qed.
