(** The rules (U) and (S) of the certificates on integers: rows over one denominator, sums over
    columns, bounds of the loss at levels that are known between rationals. *)

From TPL Require Export Levels.
Import ListNotations.
Open Scope Z_scope.

(** ** Rows over one denominator *)

Fixpoint common_divisor (fuel : nat) (a b : Z) : Z :=
  match fuel with O => 1 | S f => if b =? 0 then a else common_divisor f b (a mod b) end.
Definition multiple_of (common : Z) (x : rational) : Z :=
  let d := Zpos (snd x) in
  if common mod d =? 0 then common
  else common * (d / common_divisor (Z.to_nat (2 * bit_length d + 2)) common d).

Definition most_common := 524288.

(** The least common denominator, or another; what is made of it is tested. *)
Fixpoint denominator_of (common : Z) (row : list rational) : result Z :=
  match row with
  | [] => Done common
  | x :: rest =>
      let next := multiple_of common x in
      let! _ := within_limit (bit_length next <=? most_common)
        "too many bits in the common denominator" in
      denominator_of next rest
  end.
Fixpoint denominators_of (common : Z) (rows : list (list rational)) : result Z :=
  match rows with
  | [] => Done common
  | row :: rest => let! next := denominator_of common row in denominators_of next rest
  end.

Definition scaled_entry (common : Z) (x : rational) : Z := fst x * (common / Zpos (snd x)).
Definition is_scaled (common : Z) (x : rational) (z : Z) : bool := z * Zpos (snd x) =? fst x *
  common.
Fixpoint all_scaled (common : Z) (row : list rational) (scaled : list Z) : bool :=
  match row, scaled with
  | [], [] => true
  | x :: row', z :: scaled' => is_scaled common x z && (0 <=? z) && all_scaled common row' scaled'
  | _, _ => false
  end.
Definition added (row : list Z) : Z := fold_left Z.add row 0.

(** A distribution on n values: its row in units of 1/common. *)
Definition scaled_row (n : nat) (common : Z) (row : list rational) : result (list Z) :=
  let scaled := map (scaled_entry common) row in
  let! _ := require (all_scaled common row scaled && Nat.eqb (List.length row) n)
    "the row has no common denominator" in
  let! _ := require (added scaled =? common) "the row does not sum to 1" in
  Done scaled.

(** Each row, in order. *)
Fixpoint scaled_rows (n : nat) (common : Z) (rows : list (list rational)) : result (list (list Z))
  :=
  match rows with
  | [] => Done []
  | row :: rest =>
      let! one := scaled_row n common row in
      let! others := scaled_rows n common rest in
      Done (one :: others)
  end.

(** Distributions as they are written, in integers, and over what. *)
Record distributions := { given : list (list rational); units : list (list Z); common : Z }.
Definition over_one (n : nat) (rows : list (list rational)) : result distributions :=
  let! c := denominators_of 1 rows in
  let! _ := require (0 <? c) "the rows have no common denominator" in
  let! scaled := scaled_rows n c rows in
  Done {| given := rows; units := scaled; common := c |}.

Definition read_matrix (j : json) : result distributions :=
  let! rows := matrix j in
  let! _ := require (Nat.leb 1 (List.length rows)) "a row is expected" in
  over_one (List.length rows) rows.

(** ** Sums over columns *)

(** Which of n columns are listed, in rising order. *)
Fixpoint mask (n : nat) (at_column : Z) (columns : list Z) : list bool :=
  match n with
  | O => []
  | S m =>
      match columns with
      | c :: rest => if c =? at_column then true :: mask m (at_column + 1) rest else false ::
        mask m (at_column + 1) columns
      | [] => false :: mask m (at_column + 1) []
      end
  end.
Fixpoint masked (listed : list bool) (row : list Z) (before : Z) : Z :=
  match listed, row with
  | b :: listed', z :: row' => masked listed' row' (if b then before + z else before)
  | _, _ => before
  end.

(** q_S and d_S in units of 1/common. *)
Definition sums (M : distributions) (pair : option (nat * nat)) (columns : list Z) :
  result (Z * Z) :=
  match pair with
  | None => let! _ := require (Nat.eqb (List.length columns) 0) "columns without rows" in
    Done (0, 0)
  | Some (j, k) =>
      let! _ := require (Nat.ltb j (List.length (units M)) && Nat.ltb k (List.length (units M)))
        "there is no such row" in
      let listed := mask (List.length (nth j (units M) [])) 0 columns in
      let q := masked listed (nth j (units M) []) 0 in
      let d := masked listed (nth k (units M) []) 0 in
      let! _ := require (d <=? q) "the sum of q over the columns is below that of d" in
      Done (q, d)
  end.

(** log g_S at the lower bound of a level. *)
Definition value_at (M : distributions) (qd : Z * Z) (a_level : enclosure) : enclosure :=
  let (q, d) := qd in
  if q =? d then zero
  else if (q =? common M) && (d =? 0) then a_level
  else
    let excess := fst (low a_level) - snd (low a_level) in
    let rest := common M * snd (low a_level) in
    if 0 <=? excess then of_ratio (q * excess + rest, d * excess + rest) else zero.

(** row . f *)
Fixpoint product_sum (row f : list Z) (before : Z) : Z :=
  match row, f with r :: row', x :: f' => product_sum row' f' (before + r * x) | _, _ =>
    before end.

(** ** Rule (U) *)

Fixpoint positive_sum (q d : list Z) (before : Z) : Z :=
  match q, d with
  | x :: q', y :: d' => let c := x - y in positive_sum q' d' (if 0 <? c then before + c
    else before)
  | _, _ => before
  end.

(** The sum of (q_j b - d_j a)^+ is at most the limit, for all rows q and d. *)
Definition none_exceeds (M : distributions) (a b limit : Z) : bool :=
  let tops := map (map (Z.mul b)) (units M) in
  forallb (fun row => let bottom := map (Z.mul a) row in forallb (fun top =>
    positive_sum top bottom 0 <=? limit) tops)
    (units M).

(** What is at most its level is at most the claim: as the level is, or as none exceeds a limit for
    lambda = a/b. *)
Definition value_at_most (c : Z) (none : Z -> Z -> Z -> bool) (a_level claimed : enclosure) :
  bool :=
  at_most a_level claimed ||
  (let (a, b) := low claimed in
   let (e, m) := high a_level in
   (0 <? b) && (b <=? a) && (m <? e) && none a b ((a - b) * m * c / (e - m))).
(** The loss at a level is at most the claim. *)
Definition loss_at_most (M : distributions) : enclosure -> enclosure -> bool :=
  value_at_most (common M) (none_exceeds M).

(** ** What that means *)

Open Scope R_scope.

Definition units_of (M : distributions) (i j : nat) : Z := nth j (nth i (units M) []) 0%Z.

(** M is what it says: so many rows, each a distribution on n values. *)
Definition well_formed (n : nat) (M : distributions) : Prop :=
  (0 < common M)%Z /\ List.length (units M) = List.length (given M) /\
  forall i, (i < List.length (given M))%nat ->
    List.length (nth i (units M) []) = n /\ distribution n (of_matrix (given M) i) /\
    forall j, IZR (units_of M i j) = IZR (common M) * of_matrix (given M) i j.

Lemma sum_first n x : sum (S n) x = x 0%nat + sum n (fun j => x (S j)).
Proof. induction n as [|n IH]; [simpl; ring|].
  change (sum (S (S n)) x) with (sum (S n) x + x (S n)). rewrite IH. simpl. ring. Qed.

Lemma added_spec row before :
  IZR (fold_left Z.add row before) = IZR before + sum (List.length row) (fun j =>
    IZR (nth j row 0%Z)).
Proof.
  revert before. induction row as [|z row IH]; intros before; [simpl; ring|].
  cbn [fold_left List.length]. rewrite IH, sum_first, plus_IZR. cbn [nth]. ring.
Qed.

Lemma all_scaled_spec c row scaled : (0 < c)%Z -> all_scaled c row scaled = true ->
  List.length scaled = List.length row /\
  forall j, IZR (nth j scaled 0%Z) = IZR c * of_row row j /\ 0 <= of_row row j.
Proof.
  intros Hc. revert scaled. induction row as [|x row IH]; intros [|z scaled] H; simpl in H;
    try discriminate.
  - split; [reflexivity|]. intros [|j]; unfold of_row, of_rational; simpl; split; try (unfold Rdiv;
    ring); lra.
  - apply andb_prop in H. destruct H as [H H2]. apply andb_prop in H. destruct H as [H H1].
    destruct (IH scaled H2) as [E IH']. split; [simpl; congruence|].
    intros [|j]; [|apply IH']. unfold is_scaled in H. apply Z.eqb_eq in H.
      apply Z.leb_le, IZR_le in H1.
    apply (f_equal IZR) in H. rewrite !mult_IZR in H. unfold of_row, of_rational. cbn [nth].
    apply IZR_lt in Hc. pose proof (IZR_pos (snd x)) as Hp. set (d := IZR (Z.pos (snd x))) in *.
    assert (E' : IZR z = IZR c * (IZR (fst x) / d)).
    { apply Rmult_eq_reg_r with d; [|lra]. rewrite H. field. lra. }
    split; [exact E'|]. apply Rmult_le_reg_l with (IZR c); [assumption|]. lra.
Qed.

Lemma scaled_row_sound n c row scaled : (0 < c)%Z -> scaled_row n c row = Done scaled ->
  List.length scaled = n /\ distribution n (of_row row) /\ forall j, IZR (nth j scaled 0%Z) = IZR c
    * of_row row j.
Proof.
  intros Hc H. unfold scaled_row in H. apply bind_done in H. destruct H as [u [H1 H]].
    apply require_done in H1.
  apply bind_done in H. destruct H as [u' [H2 H]]. apply require_done in H2. injection H as <-.
  apply andb_prop in H1. destruct H1 as [H1 Hn]. apply Nat.eqb_eq in Hn. apply Z.eqb_eq in H2.
  destruct (all_scaled_spec c row _ Hc H1) as [El Hall]. split; [congruence|].
  assert (Hc' : 0 < IZR c) by (apply IZR_lt; assumption).
  split; [|intros; apply Hall]. split; [intros; apply Hall|].
  apply (f_equal IZR) in H2. unfold added in H2. rewrite added_spec, El, Hn in H2.
  rewrite (sum_ext n _ (fun j => IZR c * of_row row j)), sum_scale in H2 by (intros; apply Hall).
  apply Rmult_eq_reg_l with (IZR c); lra.
Qed.

Lemma scaled_rows_sound n c rows scaled : (0 < c)%Z -> scaled_rows n c rows = Done scaled ->
  List.length scaled = List.length rows /\
  forall i, (i < List.length rows)%nat ->
    List.length (nth i scaled []) = n /\ distribution n (of_row (nth i rows [])) /\
    forall j, IZR (nth j (nth i scaled []) 0%Z) = IZR c * of_row (nth i rows []) j.
Proof.
  intros Hc. revert scaled. induction rows as [|row rows IH]; intros scaled H; cbn [scaled_rows] in
    H.
  - injection H as <-. split; [reflexivity|]. simpl. lia.
  - apply bind_done in H. destruct H as [one [H1 H]]. apply bind_done in H.
    destruct H as [others [H2 H]].
    injection H as <-. destruct (IH others H2) as [E IH']. split; [simpl; congruence|].
    intros [|i] Hi; [apply (scaled_row_sound n c row one Hc H1)|apply IH'; simpl in Hi; lia].
Qed.

Lemma over_one_sound n rows M : over_one n rows = Done M -> given M = rows /\ well_formed n M.
Proof.
  unfold over_one. intros H. apply bind_done in H. destruct H as [c [_ H]]. apply bind_done in H.
  destruct H as [u [H1 H]]. apply require_done, Z.ltb_lt in H1. apply bind_done in H.
    destruct H as [scaled [H2 H]].
  injection H as <-. split; [reflexivity|]. destruct (scaled_rows_sound n c rows scaled H1 H2)
    as [E Hall].
  split; [assumption|]. split; [assumption|]. exact Hall.
Qed.

Lemma read_matrix_sound j M : read_matrix j = Done M ->
  well_formed (List.length (given M)) M /\ (0 < List.length (given M))%nat.
Proof.
  unfold read_matrix. intros H. apply bind_done in H. destruct H as [rows [_ H]].
  apply bind_done in H. destruct H as [u [H1 H]]. apply require_done, Nat.leb_le in H1.
  apply over_one_sound in H. destruct H as [-> H]. split; [assumption|lia].
Qed.

Lemma well_formed_stochastic M : well_formed (List.length (given M)) M ->
  stochastic (List.length (given M)) (of_matrix (given M)).
Proof. intros [_ [_ H]] i Hi. apply H. assumption. Qed.

Lemma masked_spec listed row before :
  IZR (masked listed row before) =
  IZR before + sum_on (List.length row) (fun i => nth i listed false) (fun j =>
    IZR (nth j row 0%Z)).
Proof.
  revert listed before. induction row as [|z row IH]; intros [|b listed] before.
  - unfold sum_on. simpl. ring.
  - unfold sum_on. simpl. ring.
  - cbn [masked]. unfold sum_on. rewrite (sum_ext _ _ (fun _ => 0)), sum_zero; [ring|].
    intros [|j] _; reflexivity.
  - cbn [masked List.length]. rewrite IH. unfold sum_on. rewrite sum_first. cbn [nth].
    destruct b; rewrite ?plus_IZR; ring.
Qed.

Lemma in_combine_nth {A B} (l : list A) (l' : list B) i a b : (i < List.length l)%nat ->
  List.length l = List.length l' ->
  In (nth i l a, nth i l' b) (combine l l').
Proof. intros Hi E. rewrite <- combine_nth by assumption. apply nth_In. rewrite combine_length.
  lia. Qed.

(** The members of a listed set. *)
Definition set_of (listed : list bool) : set := fun a => nth a listed false.

Lemma masked_set n M listed a : well_formed n M -> (a < List.length (given M))%nat ->
  IZR (masked listed (nth a (units M) []) 0) = IZR (common M) * sum_on n (set_of listed)
    (of_matrix (given M) a).
Proof.
  intros [Hc [El Hall]] Ha. destruct (Hall a Ha) as [En [_ Hu]]. unfold units_of in Hu.
    rewrite masked_spec, En. unfold sum_on, set_of.
  rewrite Rplus_0_l, <- sum_scale. apply sum_ext. intros b _. rewrite Hu.
    destruct (nth b listed false); ring.
Qed.

Lemma sums_of_pair n M j k columns q d : well_formed n M -> sums M (Some (j, k)) columns = Done (q,
  d) ->
  (j < List.length (given M))%nat /\ (k < List.length (given M))%nat /\ (d <= q)%Z /\ exists S,
  IZR q = IZR (common M) * sum_on n S (of_matrix (given M) j) /\ IZR d = IZR (common M) * sum_on n
    S (of_matrix (given M) k).
Proof.
  intros HM H. cbn [sums] in H. apply bind_done in H. destruct H as [u [H1 H]].
    apply require_done, andb_prop in H1.
  destruct H1 as [Hj Hk]. apply Nat.ltb_lt in Hj, Hk. rewrite (proj1 (proj2 HM)) in Hj, Hk.
  apply bind_done in H. destruct H as [u' [H2 H]]. apply require_done, Z.leb_le in H2.
    injection H as <- <-.
  split; [assumption|]. split; [assumption|]. split; [assumption|].
  exists (set_of (mask (List.length (nth j (units M) [])) 0 columns)). split; apply masked_set;
    assumption.
Qed.

(** The sums are those of two rows over a set of columns, which is nothing where there are no rows.
    *)
Lemma sums_sound n M pair columns q d : well_formed n M -> (0 < List.length (given M))%nat ->
  sums M pair columns = Done (q, d) -> (d <= q)%Z /\ exists j k S,
  (j < List.length (given M))%nat /\ (k < List.length (given M))%nat /\
  IZR q = IZR (common M) * sum_on n S (of_matrix (given M) j) /\
  IZR d = IZR (common M) * sum_on n S (of_matrix (given M) k).
Proof.
  intros HM Hn H. destruct pair as [[j k]|].
  - destruct (sums_of_pair n M j k columns q d HM H) as [Hj [Hk [Hqd [S HS]]]].
    split; [assumption|]. exists j, k, S. auto.
  - simpl in H. apply bind_done in H. destruct H as [u [_ H]]. injection H as <- <-. split; [lia|].
    exists 0%nat, 0%nat, (fun _ => false). unfold sum_on. rewrite !sum_zero. repeat split; auto;
      ring.
Qed.

Lemma product_sum_spec row f start : List.length row = List.length f ->
  IZR (product_sum row f start) = IZR start + sum (List.length row) (fun b => IZR (nth b row 0%Z) *
    IZR (nth b f 0%Z)).
Proof.
  revert f start. induction row as [|r row IH]; intros [|x f] start E; simpl in E;
    try discriminate; [simpl; ring|].
  cbn [product_sum List.length]. rewrite IH, sum_first, plus_IZR, mult_IZR by congruence.
    cbn [nth]. ring.
Qed.

(** ** Rule (U) on integers *)

Lemma positive_sum_spec q d before : List.length q = List.length d ->
  IZR (positive_sum q d before) =
  IZR before + sum (List.length q) (fun j => positive_part (IZR (nth j q 0%Z) - IZR
    (nth j d 0%Z))).
Proof.
  revert d before. induction q as [|x q IH]; intros [|y d] before E; simpl in E; try discriminate;
    [simpl; ring|].
  cbn [positive_sum List.length]. rewrite IH by congruence. rewrite sum_first. cbn [nth].
  unfold positive_part at 2. rewrite <- minus_IZR. unfold Rmax.
  destruct (Z.ltb_spec 0 (x - y)) as [H|H].
  - apply IZR_lt in H. rewrite plus_IZR. destruct (Rle_dec 0 (IZR (x - y))); lra.
  - apply IZR_le in H. destruct (Rle_dec 0 (IZR (x - y))); lra.
Qed.

Lemma nth_scaled (x : Z) row j : nth j (map (Z.mul x) row) 0%Z = (x * nth j row 0)%Z.
Proof. rewrite <- (Z.mul_0_r x) at 1. apply map_nth. Qed.

Lemma positive_part_scaled x y : 0 <= x -> positive_part (x * y) = x * positive_part y.
Proof. intros H. unfold positive_part. rewrite <- (Rmult_0_r x) at 1. apply RmaxRmult. assumption.
  Qed.

(** The sum of (q_j b - d_j a)^+ in units of 1/c. *)
Lemma positive_sum_units n c a b qs ds (q d : nat -> R) : 0 < IZR c -> List.length qs = n ->
  List.length ds = n ->
  (forall j, IZR (nth j qs 0%Z) = IZR c * q j) -> (forall j, IZR (nth j ds 0%Z) = IZR c * d j) ->
  IZR (positive_sum (map (Z.mul b) qs) (map (Z.mul a) ds) 0) =
  IZR c * sum n (fun j => positive_part (IZR b * q j - IZR a * d j)).
Proof.
  intros Hc Eq Ed Hq Hd. rewrite positive_sum_spec by (rewrite !map_length; congruence).
  rewrite map_length, Eq, Rplus_0_l, <- sum_scale. apply sum_ext. intros j _. rewrite !nth_scaled,
    !mult_IZR, Hq, Hd.
  rewrite <- positive_part_scaled by lra. f_equal. ring.
Qed.

(** The same by the ratio a/b. *)
Lemma positive_sum_scaled n c a b qs ds (q d : nat -> R) : (0 < b)%Z -> 0 < IZR c ->
  List.length qs = n -> List.length ds = n ->
  (forall j, IZR (nth j qs 0%Z) = IZR c * q j) -> (forall j, IZR (nth j ds 0%Z) = IZR c * d j) ->
  IZR (positive_sum (map (Z.mul b) qs) (map (Z.mul a) ds) 0) =
  IZR b * IZR c * sum n (fun j => positive_part (q j - IZR a / IZR b * d j)).
Proof.
  intros Hb Hc Eq Ed Hq Hd. rewrite (positive_sum_units n c a b qs ds q d) by assumption.
    apply IZR_lt in Hb.
  rewrite (Rmult_comm (IZR b)), Rmult_assoc. f_equal. rewrite <- sum_scale. apply sum_ext.
    intros j _.
  rewrite <- positive_part_scaled by lra. f_equal. field. lra.
Qed.

Lemma none_exceeds_pair n M a b limit i k : well_formed n M ->
  (i < List.length (given M))%nat -> (k < List.length (given M))%nat -> none_exceeds M a b limit =
    true ->
  (positive_sum (map (Z.mul b) (nth i (units M) [])) (map (Z.mul a) (nth k (units M) [])) 0 <=
    limit)%Z.
Proof.
  intros [Hc [El Hall]] Hi Hk H. unfold none_exceeds in H. rewrite forallb_forall in H.
  specialize (H (nth k (units M) []) ltac:(apply nth_In; lia)). cbv zeta in H.
    rewrite forallb_forall in H.
  specialize (H (map (Z.mul b) (nth i (units M) []))). rewrite Z.leb_le in H. apply H.
    apply in_map, nth_In. lia.
Qed.

Lemma none_exceeds_units n M a b limit i k : well_formed n M ->
  (i < List.length (given M))%nat -> (k < List.length (given M))%nat -> none_exceeds M a b limit =
    true ->
  IZR (common M) * sum n (fun j => positive_part (IZR b * of_matrix (given M) i j - IZR a *
    of_matrix (given M) k j)) <= IZR limit.
Proof.
  intros HM Hi Hk H. apply (none_exceeds_pair n M a b limit i k HM Hi Hk), IZR_le in H.
    destruct HM as [Hc [_ Hall]].
  destruct (Hall i Hi) as [Ei [_ Hui]]. destruct (Hall k Hk) as [Ek [_ Huk]]. apply IZR_lt in Hc.
  rewrite (positive_sum_units n (common M) a b _ _ (of_matrix (given M) i) (of_matrix (given M) k))
    in H; assumption.
Qed.

Lemma none_exceeds_sound n M a b limit i k : well_formed n M -> (0 < b)%Z ->
  (i < List.length (given M))%nat -> (k < List.length (given M))%nat -> none_exceeds M a b limit =
    true ->
  IZR b * IZR (common M) *
    sum n (fun j => positive_part (of_matrix (given M) i j - IZR a / IZR b * of_matrix (given M) k
      j)) <= IZR limit.
Proof.
  intros HM Hb Hi Hk H. apply (none_exceeds_pair n M a b limit i k HM Hi Hk), IZR_le in H.
    destruct HM as [Hc [_ Hall]].
  destruct (Hall i Hi) as [Ei [_ Hui]]. destruct (Hall k Hk) as [Ek [_ Huk]]. apply IZR_lt in Hc.
  rewrite (positive_sum_scaled n (common M) a b _ _ (of_matrix (given M) i) (of_matrix (given M)
    k)) in H; assumption.
Qed.

Lemma optimum_limit n q d A lambda : distribution n q -> distribution n d -> 1 <= A ->
  (A - 1) * sum n (fun i => positive_part (q i - lambda * d i)) <= lambda - 1 ->
    optimum n q d A <= lambda.
Proof.
  intros Hq Hd HA H. apply optimum_least. intros S.
  pose proof (box_rule n q d A lambda (corner S A) Hq Hd HA H (within_corner n S A HA)) as Hb.
  rewrite !dot_corner in Hb by auto. pose proof (piece_of_spec n q d S A Hd HA).
    pose proof (piece_denominator n d S A Hd HA).
  apply Rmult_le_reg_r with (sum_on n S d * (A - 1) + 1); lra.
Qed.

Lemma gain_rule n P A lambda : stochastic n P -> 1 <= A -> 1 <= lambda ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> (A - 1) * sum n (fun i =>
    positive_part (P j i - lambda * P k i)) <= lambda - 1) ->
  gain n P A <= lambda.
Proof.
  intros HP HA Hl H. apply gain_least; [assumption|]. intros j k S Hj Hk.
  eapply Rle_trans; [apply optimum_upper|]. apply optimum_limit; auto.
Qed.

(** (A - 1) s <= lambda - 1 from integers: A <= e/m, lambda = a/b. *)
Lemma limit_rule (a b e m c : Z) A s : (0 < b <= a)%Z -> (0 <= m < e)%Z -> (0 < c)%Z -> 1 <= A ->
  A * IZR m <= IZR e -> 0 <= s ->
  IZR b * IZR c * s <= IZR ((a - b) * m * c / (e - m)) -> (A - 1) * s <= IZR a / IZR b - 1.
Proof.
  intros Hb He Hc HA Hm Hs H.
  pose proof (divide_down ((a - b) * m * c) (e - m) ltac:(lia)) as Hd. simpl in Hd.
  rewrite !mult_IZR, !minus_IZR in Hd. destruct Hb as [Hb Hab]. destruct He as [Hm0 He].
  apply IZR_lt in Hb, He, Hc. apply IZR_le in Hab, Hm0.
  set (X := IZR ((a - b) * m * c / (e - m))) in *.
  assert (H1 : IZR b * IZR c * s * (IZR e - IZR m) <= (IZR a - IZR b) * IZR m * IZR c).
  { eapply Rle_trans; [|exact Hd]. apply Rmult_le_compat_r; lra. }
  assert (H2 : IZR b * s * (IZR e - IZR m) <= (IZR a - IZR b) * IZR m).
  { apply Rmult_le_reg_r with (IZR c); [assumption|]. lra. }
  destruct Hm0 as [Hm0|Hm0].
  - assert (H3 : IZR b * s * ((A - 1) * IZR m) <= IZR b * s * (IZR e - IZR m)).
    { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
    apply Rmult_le_reg_r with (IZR b * IZR m); [apply Rmult_lt_0_compat; assumption|].
    replace ((IZR a / IZR b - 1) * (IZR b * IZR m)) with ((IZR a - IZR b) * IZR m) by (field; lra).
      lra.
  - rewrite <- Hm0 in *. assert (s = 0).
    { assert (0 < IZR b * IZR e) by (apply Rmult_lt_0_compat; lra). nra. }
    subst s. rewrite Rmult_0_r. enough (1 <= IZR a / IZR b) by lra.
    apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc,
      Rinv_l by lra. lra.
Qed.

Definition all_nonneg (X : R -> Prop) : Prop := forall x, X x -> 0 <= x.

Lemma log_le a b w : 0 < b -> b <= a -> a <= exp w * b -> ln (a / b) <= w.
Proof.
  intros Hb Hab H. apply exp_le_inv. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra).
  apply Rmult_le_reg_r with b; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** What the rules need of a function of a level, such as L: it is at least 0, rises, and by no
    more than its argument. *)
Definition gentle (f : R -> R) : Prop :=
  f 0 <= 0 /\ forall a b, 0 <= a <= b -> 0 <= f a <= f b /\ f b - f a <= b - a.
(** Its values at the levels of a set: [losses] for L. *)
Definition values_of (f : R -> R) (X : R -> Prop) : R -> Prop := fun y => exists x, X x /\ y = f x.

Lemma gentle_below f x : gentle f -> 0 <= x -> 0 <= f x <= x.
Proof. intros [H0 H] Hx. destruct (H 0 x ltac:(lra)) as [H1 H2]. lra. Qed.

Lemma loss_gentle n P : stochastic n P -> gentle (loss n P).
Proof.
  intros HP. split; [apply (remark_1 n P 0 HP); lra|]. intros a b Hab. split; [split|].
  - apply (remark_1 n P a HP). lra.
  - apply loss_rises; assumption.
  - apply loss_slow; assumption.
Qed.

Lemma optimum_gentle n q d : distribution n q -> distribution n d -> gentle (fun a =>
  ln (optimum n q d (exp a))).
Proof.
  intros Hq Hd.
  assert (Hexp : forall a, 0 <= a -> exp (ln (optimum n q d (exp a))) = optimum n q d (exp a)).
  { intros a Ha. apply exp_ln. pose proof (optimum_ratio n q d (exp a) Hq Hd (exp_ratio a Ha)).
    lra. }
  split.
  - apply exp_le_inv. rewrite Hexp by lra. apply (optimum_ratio n q d (exp 0) Hq Hd).
    rewrite exp_0. lra.
  - intros a b Hab. assert (HA : 1 <= exp a <= exp b) by (split; [apply exp_ratio;
    lra|apply exp_le; lra]). split; [split|].
    + apply exp_le_inv. rewrite Hexp, exp_0 by lra. apply optimum_ratio; auto. lra.
    + apply exp_le_inv. rewrite !Hexp by lra. apply optimum_rises; auto.
    + enough (ln (optimum n q d (exp b)) <= b + - a + ln (optimum n q d (exp a))) by lra.
      apply exp_le_inv. rewrite !exp_plus, exp_Ropp, !Hexp by lra. apply optimum_slow; auto.
Qed.

Lemma value_at_most_sound f c none v w a_level claimed X : (0 < c)%Z -> gentle f ->
  (forall a b limit x, (0 < b)%Z -> 0 <= x -> 1 <= IZR a / IZR b -> none a b limit = true ->
     (forall s, 0 <= s -> IZR b * IZR c * s <= IZR limit -> (exp x - 1) * s <= IZR a / IZR b - 1)
       -> f x <= ln (IZR a / IZR b)) ->
  encloses a_level v -> encloses claimed w -> all_nonneg X -> nothing_above v X ->
  value_at_most c none a_level claimed = true -> nothing_above w (values_of f X).
Proof.
  intros Hc Hf Hnone Hv Hw H0 HX H. destruct w as [w|]; [|exact I]. intros y [x [Hx ->]].
  pose proof (gentle_below f x Hf (H0 x Hx)) as Hr. apply orb_prop in H. destruct H as [H|H].
  - pose proof (at_most_sound _ _ _ _ Hv Hw H) as Hvw. destruct v as [v|]; [|contradiction].
    specialize (HX x Hx). simpl in Hvw. lra.
  - destruct Hw as [_ [Hlow _]]. destruct Hv as [_ [_ Hhigh]].
    destruct (low claimed) as [a b]. destruct (high a_level) as [e m].
    apply andb_prop in H. destruct H as [H Hlimit]. apply andb_prop in H. destruct H as [H He].
    apply andb_prop in H. destruct H as [Hb Hab]. apply Z.ltb_lt in Hb, He. apply Z.leb_le in Hab.
    destruct Hlow as [_ [_ Hw]]. destruct Hhigh as [_ [Hm0 Hv]]. simpl in Hw, Hv, Hm0.
    assert (HA : 1 <= exp x) by (apply exp_ratio; auto).
    assert (Hm : exp x * IZR m <= IZR e).
    { destruct v as [v|].
      - specialize (HX x Hx). apply exp_le in HX. eapply Rle_trans; [|exact Hv].
        apply Rmult_le_compat_r; [apply IZR_le; assumption|assumption].
      - rewrite Hv, Rmult_0_r. apply IZR_le. lia. }
    assert (Hl : 1 <= IZR a / IZR b).
    { apply IZR_lt in Hb. apply IZR_le in Hab. apply Rmult_le_reg_r with (IZR b); [assumption|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    apply Rle_trans with (ln (IZR a / IZR b)).
    + apply (Hnone a b _ x Hb (H0 x Hx) Hl Hlimit). intros s Hs Hle. apply (limit_rule a b e m c);
      auto; lia.
    + apply log_le; [apply IZR_lt; assumption|apply IZR_le; assumption|assumption].
Qed.

Lemma loss_at_most_sound M v w a_level claimed X : well_formed (List.length (given M)) M ->
  encloses a_level v -> encloses claimed w -> all_nonneg X -> nothing_above v X ->
  loss_at_most M a_level claimed = true -> nothing_above w (losses (given M) X).
Proof.
  intros HM Hv Hw H0 HX H. pose proof (well_formed_stochastic M HM) as HP.
  apply (value_at_most_sound (loss (List.length (given M)) (of_matrix (given M))) (common M)
    (none_exceeds M) v w a_level claimed);
    auto using loss_gentle; [apply HM|].
  intros a b limit x Hb Hx Hl Hnone Hlimit. apply exp_le_inv. rewrite exp_loss, exp_ln by lra.
  apply gain_rule; auto using exp_ratio. intros j k Hj Hk. apply Hlimit.
  - apply sum_nonneg. intros. apply positive_part_nonneg.
  - apply none_exceeds_sound; auto.
Qed.

(** ** Rule (S) on integers *)

Lemma reached_nonneg f v X : gentle f -> all_nonneg X -> reached v X ->
  reached (Some 0) (values_of f X).
Proof.
  intros Hf H0 HX u Hu. simpl. destruct (Rle_dec 0 u) as [?|N]; [assumption|exfalso].
  assert (Hno : forall x, ~ X x).
  { intros x Hx. assert (f x <= u) by (apply Hu; exists x; auto).
    pose proof (gentle_below f x Hf (H0 x Hx)). lra. }
  destruct v as [y|].
  - specialize (HX (y - 1)). assert (y <= y - 1) by (apply HX; intros x Hx; destruct (Hno x Hx)).
    lra.
  - apply (HX 0). intros x Hx. destruct (Hno x Hx).
Qed.

Lemma reached_less v w X : reached v X -> no_more w v -> reached w X.
Proof.
  intros H Hvw u Hu. specialize (H u Hu). destruct v as [x|], w as [y|]; simpl in *;
    try contradiction; lra.
Qed.

Lemma piece_scaled n q d S c A g : distribution n d -> 1 <= A -> 0 < c -> piece_of n q d S A <= g
  ->
  c * sum_on n S q * (A - 1) + c <= g * (c * sum_on n S d * (A - 1) + c).
Proof.
  intros Hd HA Hc Hg. pose proof (piece_of_spec n q d S A Hd HA) as Hp.
    pose proof (piece_denominator n d S A Hd HA).
  replace (c * sum_on n S q * (A - 1) + c) with (c * (sum_on n S q * (A - 1) + 1)) by ring.
  replace (g * (c * sum_on n S d * (A - 1) + c)) with (c * (g * (sum_on n S d * (A - 1) + 1)))
    by ring.
  apply Rmult_le_compat_l; [lra|]. rewrite <- Hp. apply Rmult_le_compat_r; lra.
Qed.

(** Of a function that is at least a piece (q, d), in units of 1/c, a value in rule (S) is reached.
    *)
Lemma value_reached f M q d v a_level X : gentle f -> (0 < common M)%Z -> (0 <= d <= q)%Z ->
  (forall x, 0 <= x -> IZR q * (exp x - 1) + IZR (common M) <= exp (f x) * (IZR d * (exp x - 1) +
    IZR (common M))) ->
  encloses a_level v -> all_nonneg X -> reached v X ->
  exists w, encloses (value_at M (q, d) a_level) w /\ reached w (values_of f X).
Proof.
  intros Hf Hc [Hd0' Hqd] Hpiece Hv H0 HX.
  assert (Hzero : exists w, encloses zero w /\ reached w (values_of f X)).
  { exists (Some 0). split; [apply zero_sound|]. apply reached_nonneg with v; assumption. }
  unfold value_at. destruct (Z.eqb_spec q d) as [_|Hne]; [exact Hzero|].
  apply IZR_lt in Hc as HC. apply IZR_le in Hd0' as Hd0.
  assert (Hbound : forall u x, (forall y, values_of f X y -> y <= u) -> X x ->
            IZR q * (exp x - 1) + IZR (common M) <= exp u * (IZR d * (exp x - 1) + IZR
              (common M))).
  { intros u x Hu Hx. assert (HA : 1 <= exp x) by (apply exp_ratio; auto).
    eapply Rle_trans; [apply Hpiece; auto|]. apply Rmult_le_compat_r.
    - assert (0 <= IZR d * (exp x - 1)) by (apply Rmult_le_pos; lra). lra.
    - apply exp_le. apply Hu. exists x. auto. }
  destruct ((q =? common M) && (d =? 0))%Z eqn:Ecase.
  - apply andb_prop in Ecase. destruct Ecase as [E1 E2]. apply Z.eqb_eq in E1, E2. subst d.
    rewrite E1 in *.
    exists v. split; [assumption|]. intros u Hu. apply HX. intros x Hx.
    specialize (Hbound u x Hu Hx). apply exp_le_inv.
    assert (IZR (common M) * exp x <= IZR (common M) * exp u) by lra.
    apply Rmult_le_reg_l with (IZR (common M)); assumption.
  - destruct Hv as [_ [[Ha0 [Hb0 Hlow]] _]]. destruct (low a_level) as [a b]. simpl in *.
    destruct (Z.leb_spec 0 (a - b)) as [Hab|_]; [|exact Hzero].
    assert (Hq : (0 < q)%Z) by lia.
    eexists. split; [apply of_ratio_sound; simpl; nia|]. unfold log_of. simpl.
    apply IZR_lt in Ha0 as HA0. apply IZR_le in Hb0 as HB0. apply IZR_lt in Hq as HQ.
    assert (Hqd' : IZR d < IZR q) by (apply IZR_lt; lia).
    destruct (Z.eq_dec b 0) as [->|Hbne].
    + (* the level is infinite *)
      destruct v as [v|]; [rewrite Rmult_0_r in Hlow; lra|].
      assert (Hall : forall u, (forall y, values_of f X y -> y <= u) -> IZR q <= exp u * IZR d).
      { intros u Hu. destruct (Rle_dec (IZR q) (exp u * IZR d)) as [?|N]; [assumption|exfalso].
        set (gap := IZR q - exp u * IZR d). assert (Hgap : 0 < gap) by (unfold gap; lra).
        apply (HX (ln (Rabs (IZR (common M) * (exp u - 1) / gap) + 1))). intros x Hx.
        specialize (Hbound u x Hu Hx). apply exp_le_inv.
        rewrite exp_ln by (pose proof (Rabs_pos (IZR (common M) * (exp u - 1) / gap)); lra).
        enough (exp x - 1 <= IZR (common M) * (exp u - 1) / gap).
        { pose proof (Rle_abs (IZR (common M) * (exp u - 1) / gap)). lra. }
        apply Rmult_le_reg_r with gap; [assumption|]. unfold Rdiv. rewrite Rmult_assoc,
          Rinv_l by lra. unfold gap. lra. }
      rewrite Z.sub_0_r, Z.mul_0_r, !Z.add_0_r. destruct (Z.eqb_spec (d * a) 0) as [Ez|Nz].
      * intros u Hu. specialize (Hall u Hu). assert (d = 0%Z) by nia. subst d. lra.
      * assert (Hd1 : 0 < IZR d) by (apply IZR_lt; nia). intros u Hu. specialize (Hall u Hu).
        rewrite !mult_IZR.
        replace (IZR q * IZR a / (IZR d * IZR a)) with (IZR q / IZR d) by (field; lra).
        apply log_le; lra.
    + assert (Hb : (0 < b)%Z) by lia. apply IZR_lt in Hb as HB. apply IZR_le in Hab as HAB.
      rewrite minus_IZR in HAB.
      set (y0 := ln (IZR a / IZR b)).
      assert (Hy0 : 1 <= IZR a / IZR b).
      { apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc,
        Rinv_l by lra. lra. }
      assert (Ey0 : exp y0 = IZR a / IZR b) by (apply exp_ln; lra).
      assert (Hy00 : 0 <= y0) by (apply exp_le_inv; rewrite Ey0, exp_0; assumption).
      assert (Hreach : reached (Some y0) X).
      { apply reached_less with v; [assumption|]. destruct v as [v|]; [|exact I].
        apply log_le; try lra. }
      destruct (Z.eqb_spec (d * (a - b) + common M * b) 0) as [Ez|Nz]; [nia|].
      assert (Hden : 0 < IZR d * (exp y0 - 1) + IZR (common M)).
      { assert (0 <= IZR d * (exp y0 - 1)) by (apply Rmult_le_pos; lra). lra. }
      assert (Eg : IZR (q * (a - b) + common M * b) / IZR (d * (a - b) + common M * b)
                = (IZR q * (exp y0 - 1) + IZR (common M)) / (IZR d * (exp y0 - 1) + IZR
                  (common M))).
      { rewrite Ey0 in *. rewrite !plus_IZR, !mult_IZR, !minus_IZR. field. repeat split; try lra.
        intros E. apply Nz. apply eq_IZR. rewrite plus_IZR, !mult_IZR, !minus_IZR. exact E. }
      rewrite Eg. intros u Hu.
      assert (Hloss : ln ((IZR q * (exp y0 - 1) + IZR (common M)) / (IZR d * (exp y0 - 1) + IZR
        (common M))) <= f y0).
      { apply log_le; [assumption| |apply Hpiece; assumption].
        assert (0 <= (IZR q - IZR d) * (exp y0 - 1)) by (apply Rmult_le_pos; lra). lra. }
      eapply Rle_trans; [exact Hloss|]. destruct (Rle_dec (f y0) u) as [?|N]; [assumption|exfalso].
      enough (Hlt : y0 <= y0 - (f y0 - u)) by lra. apply Hreach. intros x Hx.
      assert (Hlx : f x <= u) by (apply Hu; exists x; auto).
      destruct Hf as [_ Hf]. specialize (H0 x Hx). destruct (Rle_dec y0 x) as [Hle|Hnle].
      * destruct (Hf y0 x ltac:(lra)). lra.
      * destruct (Hf x y0 ltac:(lra)). lra.
Qed.

Lemma value_at_sound M pair columns qd v a_level X : well_formed (List.length (given M)) M ->
  (0 < List.length (given M))%nat ->
  sums M pair columns = Done qd -> encloses a_level v -> all_nonneg X -> reached v X ->
  exists w, encloses (value_at M qd a_level) w /\ reached w (losses (given M) X).
Proof.
  intros HM Hn Hs Hv H0 HX. pose proof (well_formed_stochastic M HM) as HP. destruct qd as [q d].
  destruct (sums_sound _ M pair columns q d HM Hn Hs) as [Hqd [j [k [S [Hj [Hk [Eq Ed]]]]]]].
  pose proof (proj1 HM) as Hc. apply IZR_lt in Hc as HC.
  apply (value_reached (loss (List.length (given M)) (of_matrix (given M))) M q d v a_level);
    auto using loss_gentle.
  - split; [|assumption]. apply le_IZR. rewrite Ed. apply Rmult_le_pos; [lra|].
    apply sum_on_bounds. auto.
  - intros x Hx. rewrite exp_loss, Eq, Ed. apply piece_scaled; auto using exp_ratio, gain_upper. 
Qed.
