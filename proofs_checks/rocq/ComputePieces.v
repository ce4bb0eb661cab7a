(** The loss function, whole, in integers: where two pieces that are greatest somewhere cross,
    another is greater between them, or none is. *)

From TPL Require Export ComputeLoss.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** The program *)

(** A point: the sums of two rows over a set, in units of 1/c; and its piece at e^alpha = a/b. *)
Definition point := (Z * Z)%type.
Definition at_ratio (c : Z) (x : Z * Z) (p : point) : Z * Z :=
  let (a, b) := x in (fst p * (a - b) + c * b, snd p * (a - b) + c * b).
Definition below (v w : Z * Z) : bool := fst v * snd w <? fst w * snd v.
Definition same (p q : Z * Z) : bool := (fst p =? fst q) && (snd p =? snd q).

(** The set of two rows that exceeds a point most, if it does. *)
Definition risen (c : Z) (x : Z * Z) (best : point) (q d : list Z) : point :=
  let v := at_ratio c x best in
  let listed := kept v (repeat true (List.length q)) q d in
  let found := (masked listed q 0, masked listed d 0) in
  if below v (at_ratio c x found) then found else best.
Definition risen_over (M : distributions) (x : Z * Z) (best : point) : point :=
  fold_left (fun p q => fold_left (fun p d => risen (common M) x p q d) (units M) p) (units M)
    best.
Fixpoint greatest_point (fuel : nat) (M : distributions) (x : Z * Z) (best : point) : point :=
  match fuel with
  | O => best
  | S f => let next := risen_over M x best in if same next best then best else greatest_point f M x
    next
  end.

(** So many rounds and nested turns at most; what comes of fewer than are needed is not proved, and
    not answered. *)
Definition most_rounds : nat := 1000.

(** Where two points have one value, as e^alpha. *)
Definition crossing (c : Z) (p q : point) : Z * Z :=
  let excess := c * (fst q + snd p - fst p - snd q) in
  let over := fst p * snd q - fst q * snd p in
  if over <? 0 then (- over - excess, - over) else (over + excess, over).

(** What follows on one piece until another: where each begins. *)
Definition turns := list ((Z * Z) * point).
Fixpoint turns_between (fuel rounds : nat) (M : distributions) (p q : point) : turns :=
  match fuel with
  | O => []
  | S f =>
      if same p q then []
      else
        let x := crossing (common M) p q in
        let between := greatest_point rounds M x p in
        if same between p then [(x, q)] else turns_between f rounds M p between ++
          turns_between f rounds M between q
  end%list.
(** Without those that end where they begin. *)
Fixpoint proper (l : turns) : turns :=
  match l with
  | (x, p) :: (((y, _) :: _) as rest) => if fst x * snd y =? fst y * snd x then proper rest
    else (x, p) :: proper rest
  | _ => l
  end.

(** The first piece is the greatest before any two cross, the last after it. *)
Definition found_pieces (rounds : nat) (M : distributions) : point * turns :=
  let c := common M in
  let first := greatest_point rounds M (2 * c + 1, 2 * c) (0, 0) in
  let last := greatest_point rounds M (2 * c * c + 2, 1) first in
  (first, proper (turns_between rounds rounds M first last)).

Definition beginning : written_level * enclosure := (Nats (0, 1%positive), zero).
Definition turning (x : Z * Z) : written_level * enclosure := (Log (fst x, Z.to_pos (snd x)),
  of_ratio x).
Definition ending : written_level * enclosure := (Infinite, of_ratio (1, 0)).
Definition part_of (c : Z) (p : point) (from to : written_level * enclosure) : part :=
  {| written_sums := ((fst p, Z.to_pos c), (snd p, Z.to_pos c)); unit_sums := p; from := from;
    to := to |}.
Fixpoint parts_of (c : Z) (p : point) (from : written_level * enclosure) (l : turns) : list part :=
  match l with
  | [] => [part_of c p from ending]
  | (x, q) :: rest => part_of c p from (turning x) :: parts_of c q (turning x) rest
  end.

(** What is found is tested, as the pieces of a certificate are. *)
Fixpoint rising_from (x : Z * Z) (l : turns) : bool :=
  match l with [] => true | (y, _) :: rest => (0 <? snd y) && below x y && rising_from y rest end.
Definition whole (M : distributions) (parts : list part) : bool :=
  match parts with
  | [] => false
  | first :: rest =>
      forallb (is_piece (Nat.eqb (List.length parts) 1)) parts && none_exceeds M 1 1
        (fst (unit_sums first) - snd (unit_sums first))
        && all_continued M first rest
  end.
Definition proved_pieces (rounds : nat) (M : distributions) : result (point * turns) :=
  let (first, l) := found_pieces rounds M in
  let! _ := within_limit (rising_from (1, 1) l && whole M (parts_of (common M) first beginning l))
    "the pieces that were found are not proved" in
  Done (first, l).

Definition answer_function (table : json) : result (list written_piece) :=
  let! M := inside "matrix" (read_matrix table) in
  let! (first, l) := proved_pieces most_rounds M in
  Done (map written_of (parts_of (common M) first beginning l)).

(** ** Points *)

Open Scope R_scope.

Definition is_point (M : distributions) (p : point) : Prop :=
  let n := List.length (given M) in let P := of_matrix (given M) in
  exists j k S, (j < n)%nat /\ (k < n)%nat /\
  IZR (fst p) = IZR (common M) * sum_on n S (P j) /\ IZR (snd p) = IZR (common M) * sum_on n S
    (P k).

Lemma fold_left_all {A B} (good : A -> Prop) (f : A -> B -> A) l : (forall a b, In b l -> good a ->
  good (f a b)) ->
  forall a, good a -> good (fold_left f l a).
Proof.
  induction l as [|b l IH]; intros H a Ha; [assumption|]. cbn [fold_left]. apply IH.
  - intros a' b' Hb'. apply H. right. assumption.
  - apply H; [left; reflexivity|assumption].
Qed.

Lemma greatest_point_is M x fuel : well_formed (List.length (given M)) M -> forall p,
  is_point M p -> is_point M (greatest_point fuel M x p).
Proof.
  intros HM. assert (Hrisen : forall p, is_point M p -> is_point M (risen_over M x p)).
  { intros p Hp. unfold risen_over. apply (fold_left_all (is_point M)); [|assumption].
    intros p' q Hq Hp'.
    apply (fold_left_all (is_point M)); [|assumption]. intros p'' d Hd Hp''.
    unfold risen. destruct (below _ _); [|assumption].
    destruct (In_nth _ _ [] Hq) as [j [Hj <-]]. destruct (In_nth _ _ [] Hd) as [k [Hk <-]].
    rewrite (proj1 (proj2 HM)) in Hj, Hk.
    match goal with |- is_point M (masked ?l _ _, _) => exists j, k, (set_of l) end.
    split; [assumption|]. split; [assumption|]. cbn [fst snd]. split; apply masked_set;
      assumption. }
  induction fuel as [|f IH]; intros p Hp; [assumption|]. cbn [greatest_point]. destruct (same _ _);
    [assumption|]. apply IH, Hrisen, Hp.
Qed.

Definition are_points (M : distributions) (l : turns) : Prop := forall x p, In (x, p) l ->
  is_point M p.

Lemma turns_between_are M rounds fuel : well_formed (List.length (given M)) M -> forall p q,
  is_point M p -> is_point M q ->
  are_points M (turns_between fuel rounds M p q).
Proof.
  intros HM. induction fuel as [|f IH]; intros p q Hp Hq y r Hr; cbn [turns_between] in Hr;
    [destruct Hr|].
  destruct (same p q); [destruct Hr|]. set (x := crossing (common M) p q) in *.
  pose proof (greatest_point_is M x rounds HM p Hp) as Hbetween. destruct (same _ p).
  - destruct Hr as [E|[]]. injection E as _ <-. assumption.
  - apply in_app_or in Hr. destruct Hr as [Hr|Hr]; first [eapply (IH p _ Hp Hbetween);
    eassumption|eapply (IH _ q Hbetween Hq); eassumption].
Qed.

Lemma proper_are M l : are_points M l -> are_points M (proper l).
Proof.
  induction l as [|[x p] l IH]; intros H; [exact H|]. cbn [proper]. destruct l as [|[y q] l];
    [exact H|].
  assert (Hl : are_points M (proper ((y, q) :: l))) by (apply IH; intros z r Hr; apply (H z r);
    right; assumption).
  destruct (_ =? _)%Z; [exact Hl|]. intros z r [E|Hr]; [apply (H z r); left;
    assumption|apply (Hl z r Hr)].
Qed.

Lemma found_pieces_are rounds M : well_formed (List.length (given M)) M ->
  (0 < List.length (given M))%nat ->
  is_point M (fst (found_pieces rounds M)) /\ are_points M (snd (found_pieces rounds M)).
Proof.
  intros HM Hn. unfold found_pieces. cbv zeta. cbn [fst snd].
  assert (H0 : is_point M (0, 0)%Z).
  { exists 0%nat, 0%nat, (fun _ => false). unfold sum_on. rewrite !sum_zero. cbn. repeat split;
    auto; ring. }
  assert (H1 : is_point M (greatest_point rounds M (2 * common M + 1, 2 * common M)%Z (0, 0)%Z))
    by (apply greatest_point_is; assumption).
  split; [assumption|]. apply proper_are, turns_between_are; auto using greatest_point_is.
Qed.

(** ** Pieces *)

(** Pieces without a gap from a level on, no two of which that follow on one another are the same
    function; each ends above where it begins. *)
Fixpoint in_order (start : R) (pieces : list written_piece) : Prop :=
  match pieces with
  | [] => False
  | [(_, (x, y))] => of_level x = Some start /\ of_level y = None
  | (sums, (x, y)) :: (((sums', _) :: _) as rest) =>
      of_level x = Some start /\
      ~ (of_rational (fst sums) = of_rational (fst sums') /\ of_rational (snd sums) = of_rational
        (snd sums')) /\
      exists stop, of_level y = Some stop /\ start < stop /\ in_order stop rest
  end.

Lemma unit_sum c u : (0 < c)%Z -> IZR u = IZR c * of_rational (u, Z.to_pos c).
Proof. intros H. unfold of_rational. cbn [fst snd]. rewrite Z2Pos.id by assumption.
  apply IZR_lt in H. field. lra. Qed.

Lemma turning_level x : (0 < snd x)%Z -> of_level (fst (turning x)) = Some (ln (quotient x)).
Proof. intros H. unfold turning, quotient, of_level, of_rational. cbn [fst snd].
  rewrite Z2Pos.id by assumption. reflexivity. Qed.

Lemma turning_encloses x : (0 < snd x)%Z -> (snd x <= fst x)%Z -> encloses (snd (turning x))
  (of_level (fst (turning x))).
Proof.
  intros H1 H2. rewrite turning_level by assumption.
    pose proof (of_ratio_sound x ltac:(lia) ltac:(lia)) as H.
  unfold log_of in H. destruct (Z.eqb_spec (snd x) 0); [lia|]. exact H.
Qed.

Lemma below_sound x y : (0 < snd x)%Z -> (0 < snd y)%Z -> below x y = true -> quotient x < quotient
  y.
Proof.
  intros Hx Hy H. unfold below in H. apply Z.ltb_lt, IZR_lt in H. rewrite !mult_IZR in H.
    apply IZR_lt in Hx, Hy. unfold quotient.
  apply Rmult_lt_reg_r with (IZR (snd x) * IZR (snd y)); [apply Rmult_lt_0_compat; assumption|].
  replace (IZR (fst x) / IZR (snd x) * (IZR (snd x) * IZR (snd y)))
    with (IZR (fst x) * IZR (snd y)) by (field; lra).
  replace (IZR (fst y) / IZR (snd y) * (IZR (snd x) * IZR (snd y)))
    with (IZR (fst y) * IZR (snd x)) by (field; lra). assumption.
Qed.

Lemma level_above x y : 1 <= quotient x -> quotient x < quotient y ->
  ln (quotient x) < ln (quotient y).
Proof. intros H1 H2. apply ln_increasing; lra. Qed.

(** What begins at e^start = x. *)
Definition begins (x : Z * Z) (from : written_level * enclosure) : Prop :=
  of_level (fst from) = Some (ln (quotient x)) /\ encloses (snd from) (of_level (fst from)).

Lemma parts_are M l : (0 < common M)%Z -> forall p start x, (0 < snd x)%Z -> 1 <= quotient x ->
  begins x start -> rising_from x l = true ->
  is_point M p -> are_points M l ->
    forallb (is_piece (Nat.eqb (List.length (parts_of (common M) p start l)) 1))
    (parts_of (common M) p start l) = true ->
  Forall (is_part M) (parts_of (common M) p start l).
Proof.
  intros Hc. 
  assert (Hgen : forall only p start x, (0 < snd x)%Z -> 1 <= quotient x -> begins x start ->
    rising_from x l = true ->
    is_point M p -> are_points M l -> forallb (is_piece only) (parts_of (common M) p start l) =
      true ->
    Forall (is_part M) (parts_of (common M) p start l)); [|intros; eapply Hgen; eassumption].
  assert (Hone : forall only p start x stop, 1 <= quotient x -> begins x start ->
    encloses (snd stop) (of_level (fst stop)) ->
    is_point M p -> is_piece only (part_of (common M) p start stop) = true ->
      is_part M (part_of (common M) p start stop)).
  { intros only p start x stop Hx [Ef Hf] Hto [j [k [S [Hj [Hk [Eu Ev]]]]]] Hpiece.
    unfold is_part, part_of. cbn [written_sums unit_sums from to fst snd].
    pose proof (IZR_lt _ _ Hc) as HC. rewrite (unit_sum _ (fst p) Hc) in Eu.
      rewrite (unit_sum _ (snd p) Hc) in Ev.
    apply Rmult_eq_reg_l in Eu, Ev; try lra.
    split; [exists j, k, S; auto|]. split; [apply unit_sum; assumption|].
      split; [apply unit_sum; assumption|]. split.
    - unfold is_piece, part_of in Hpiece. cbn [unit_sums] in Hpiece. destruct p as [u v].
      cbn [fst snd].
      destruct (Z.ltb_spec v u); [lia|]. cbn in Hpiece. destruct only; [|discriminate].
        cbn in Hpiece.
      apply andb_prop in Hpiece. destruct Hpiece as [E1 E2]. apply Z.eqb_eq in E1, E2. lia.
    - split; [assumption|]. split; [|assumption]. rewrite Ef. cbn. rewrite <- ln_1.
      destruct Hx as [Hx|<-]; [left; apply ln_increasing; lra|lra]. }
  induction l as [|[y q] l IH]; intros only p start x Hx Hx1 Hfrom Hr Hp Hl Hpieces;
    cbn [parts_of forallb] in *.
  - apply andb_prop in Hpieces. destruct Hpieces as [Hpiece _]. constructor; [|constructor].
    apply (Hone only p start x ending); auto. apply (of_ratio_sound (1, 0)%Z); cbn; lia.
  - cbn [rising_from] in Hr. apply andb_prop in Hr. destruct Hr as [Hr Hrest].
    apply andb_prop in Hr. destruct Hr as [Hy Hxy]. apply Z.ltb_lt in Hy.
    pose proof (below_sound x y Hx Hy Hxy) as Hlt. pose proof (one_quotient y Hy ltac:(lra))
      as Hy1.
    apply andb_prop in Hpieces. destruct Hpieces as [Hpiece Hpieces]. constructor.
    + apply (Hone only p start x (turning y)); auto. apply turning_encloses; assumption.
    + apply (IH only q (turning y) y); auto; [lra| |apply (Hl y q); left;
      reflexivity|intros z r Hzr; apply (Hl z r); right; assumption].
      split; [apply turning_level; assumption|apply turning_encloses; assumption].
Qed.

Lemma parts_in_order M l : (0 < common M)%Z -> forall p start x, (0 < snd x)%Z ->
  1 <= quotient x -> begins x start -> rising_from x l = true ->
  match parts_of (common M) p start l with [] => False | first :: rest => all_continued M first
    rest = true end ->
  in_order (ln (quotient x)) (map written_of (parts_of (common M) p start l)).
Proof.
  intros Hc. induction l as [|[y q] l IH]; intros p start x Hx Hx1 [Ef Hf] Hr Hall;
    cbn [parts_of map] in *.
  - cbn. auto.
  - cbn [rising_from] in Hr. apply andb_prop in Hr. destruct Hr as [Hr Hrest].
    apply andb_prop in Hr. destruct Hr as [Hy Hxy]. apply Z.ltb_lt in Hy.
    pose proof (below_sound x y Hx Hy Hxy) as Hlt. pose proof (one_quotient y Hy ltac:(lra))
      as Hy1.
    specialize (IH q (turning y) y Hy ltac:(lra)). assert (Hbegins : begins y (turning y)).
    { split; [apply turning_level; assumption|apply turning_encloses; assumption]. }
    specialize (IH Hbegins Hrest).
    assert (Hnext : exists rest stop, parts_of (common M) q (turning y) l = part_of (common M) q
      (turning y) stop :: rest) by (destruct l as [|[z r] l]; cbn; eauto).
    destruct Hnext as [rest [stop Enext]]. rewrite Enext in *. cbn [all_continued] in Hall.
      apply andb_prop in Hall. destruct Hall as [Hcontinued Hall].
    specialize (IH Hall). cbn [map written_of part_of written_sums from to fst snd in_order] in *.
    split; [assumption|]. split.
    + intros [E1 E2]. unfold continued in Hcontinued. cbv zeta in Hcontinued.
      cbn [part_of unit_sums] in Hcontinued.
      repeat match type of Hcontinued with _ && _ = true => let K := fresh "K" in apply andb_prop
        in Hcontinued; destruct Hcontinued as [Hcontinued K] end.
      pose proof (unit_sum _ (fst p) Hc) as U1. pose proof (unit_sum _ (snd p) Hc) as U2.
        rewrite E1, <- unit_sum in U1 by assumption.
      rewrite E2, <- unit_sum in U2 by assumption. apply eq_IZR in U1, U2.
        rewrite U1, U2, !Z.eqb_refl in *. discriminate.
    + exists (ln (quotient y)). split; [apply turning_level; assumption|].
      split; [apply level_above; assumption|exact IH].
Qed.

Lemma beginning_begins : ln (quotient (1, 1)%Z) = 0 /\ begins (1, 1)%Z beginning.
Proof.
  assert (Ezero : ln (quotient (1, 1)%Z) = 0) by (unfold quotient; cbn [fst snd]; replace (1 / 1)
    with 1 by field; apply ln_1).
  split; [assumption|]. unfold begins. rewrite Ezero.
  assert (E : of_level (fst beginning) = Some 0) by (cbn; f_equal; unfold of_rational; cbn; field).
  rewrite E. split; [reflexivity|apply zero_sound].
Qed.

(** What was proved of the pieces of a matrix: they are L, and in order. *)
Lemma proved_pieces_sound rounds M first l : well_formed (List.length (given M)) M ->
  (0 < List.length (given M))%nat ->
  proved_pieces rounds M = Done (first, l) -> let pieces := map written_of (parts_of (common M)
    first beginning l) in
  holds (Loss_function (given M) pieces) /\ in_order 0 pieces /\ is_point M first /\
    are_points M l /\ rising_from (1, 1)%Z l = true.
Proof.
  intros HM Hn H. unfold proved_pieces in H. destruct (found_pieces_are rounds M HM Hn)
    as [Hfirst Hl].
  destruct (found_pieces rounds M) as [first' l']. apply bind_done in H. destruct H as [? [Hw H]].
    injection H as -> ->. cbn [fst snd] in *.
  unfold within_limit in Hw. destruct (_ && _)%bool eqn:E in Hw; [|discriminate]. clear Hw.
    apply andb_prop in E. destruct E as [Hr Hwhole].
  pose proof (proj1 HM) as Hc. assert (Hone : 1 <= quotient (1, 1)%Z) by (unfold quotient; cbn;
    lra).
  destruct beginning_begins as [Ezero Hbegins].
  unfold whole in Hwhole. destruct (parts_of (common M) first beginning l) as [|part rest]
    eqn:Eparts; [discriminate|].
  apply andb_prop in Hwhole. destruct Hwhole as [Hwhole Hall]. apply andb_prop in Hwhole.
    destruct Hwhole as [Hpieces Hnone].
  rewrite <- Eparts in Hpieces. pose proof (parts_are M l Hc first beginning (1, 1)%Z ltac:(cbn;
    lia) Hone Hbegins Hr Hfirst Hl Hpieces) as Hparts.
  pose proof (parts_in_order M l Hc first beginning (1, 1)%Z ltac:(cbn; lia) Hone Hbegins Hr)
    as Horder. rewrite Eparts in *.
  cbv zeta. rewrite Ezero in Horder. split; [|auto]. apply whole_sound; auto.
  destruct l as [|[y q] l]; injection Eparts as <- _; reflexivity.
Qed.

(** Of a request: pieces that are the loss function at every level, without a gap from 0 on, and
    none more than there are. *)
Theorem function_sound table pieces : answer_function table = Done pieces ->
  exists P, writes_matrix table P /\ holds (Loss_function P pieces) /\ in_order 0 pieces.
Proof.
  unfold answer_function. intros H. apply bind_done in H. destruct H as [M [HM H]].
    apply bind_done in H. destruct H as [[first l] [Hf H]].
  injection H as <-. apply inside_done in HM. destruct (read_matrix_sound _ _ HM) as [HW Hn].
  destruct (proved_pieces_sound most_rounds M first l HW Hn Hf) as [H1 [H2 _]]. exists (given M).
    split; [apply matrix_read; assumption|]. auto.
Qed.
