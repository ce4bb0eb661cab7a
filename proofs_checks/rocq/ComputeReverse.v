(** Bayes' rule in integers: the backward correlation of a forward one and the distribution of the earlier value. *)

From TPL Require Export ComputeLoss.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** The program *)

(** Pr(l^0 = a, l^1 = b) of each a, in units of the product of both denominators. *)
Fixpoint joint_column (initial : list Z) (rows : list (list Z)) (b : nat) : list Z :=
  match initial, rows with
  | z :: initial', row :: rows' => z * nth b row 0 :: joint_column initial' rows' b
  | _, _ => []
  end.
Definition backward_row (joint : list Z) : list rational := map (fun z => (z, Z.to_pos (added joint))) joint.

(** The backward correlation; or a value that cannot occur, and has none. *)
Inductive reversal := Backward (rows : list (list rational)) | Unreachable (b : nat).
Fixpoint reversed_rows (columns : list (list Z)) (b : nat) : reversal :=
  match columns with
  | [] => Backward []
  | joint :: rest =>
      if 0 <? added joint
      then match reversed_rows rest (S b) with Backward rows => Backward (backward_row joint :: rows) | unreachable => unreachable end
      else Unreachable b
  end.

Definition answer_reverse (forward_table first : json) : result reversal :=
  let! P := inside "forward" (read_matrix forward_table) in
  let n := List.length (given P) in
  let! p := inside "initial" (let! l := items_exactly n first in let! row := each number l in over_one n [row]) in
  Done (reversed_rows (map (joint_column (nth 0 (units p) []) (units P)) (seq 0 n)) 0).

(** ** What that means *)

Open Scope R_scope.

Lemma joint_column_spec initial rows b : List.length initial = List.length rows ->
  List.length (joint_column initial rows b) = List.length rows /\
  forall a, nth a (joint_column initial rows b) 0%Z = (nth a initial 0 * nth b (nth a rows []) 0)%Z.
Proof.
  revert rows. induction initial as [|z initial IH]; intros [|row rows] E; cbn in E; try discriminate; cbn [joint_column].
  - split; [reflexivity|]. intros [|a]; cbn; destruct b; reflexivity.
  - destruct (IH rows ltac:(congruence)) as [L H]. split; [cbn; congruence|]. intros [|a]; cbn [nth]; [reflexivity|apply H].
Qed.

Lemma backward_row_spec joint a : (0 < added joint)%Z ->
  of_row (backward_row joint) a = IZR (nth a joint 0%Z) / IZR (added joint).
Proof.
  intros H. unfold of_row, backward_row. destruct (Nat.lt_ge_cases a (List.length joint)) as [Ha|Ha].
  - rewrite (nth_indep _ (0%Z, 1%positive) ((fun z => (z, Z.to_pos (added joint))) 0%Z)) by (rewrite map_length; assumption).
    rewrite (map_nth (fun z => (z, Z.to_pos (added joint)))). unfold of_rational. cbn [fst snd]. rewrite Z2Pos.id by assumption. reflexivity.
  - rewrite !nth_overflow by (rewrite ?map_length; assumption). unfold of_rational, Rdiv. cbn [fst snd]. ring.
Qed.

Lemma reversed_rows_spec columns : forall from, match reversed_rows columns from with
  | Backward rows => List.length rows = List.length columns /\ forall b, (b < List.length columns)%nat ->
      (0 < added (nth b columns []))%Z /\ nth b rows [] = backward_row (nth b columns [])
  | Unreachable b => (from <= b < from + List.length columns)%nat /\ (added (nth (b - from) columns []) <= 0)%Z
  end.
Proof.
  induction columns as [|joint rest IH]; intros from; cbn [reversed_rows].
  - split; [reflexivity|]. cbn. intros; lia.
  - destruct (Z.ltb_spec 0 (added joint)) as [H|H].
    + specialize (IH (S from)). destruct (reversed_rows rest (S from)) as [rows|b].
      * destruct IH as [L IH]. split; [cbn; congruence|]. intros [|b] Hb; cbn [nth]; [auto|apply IH; cbn in Hb; lia].
      * destruct IH as [Hb IH]. split; [cbn; lia|]. replace (b - from)%nat with (S (b - S from)) by lia. exact IH.
    + split; [cbn; lia|]. rewrite Nat.sub_diag. exact H.
Qed.

(** A chain whose first step is given. *)
Definition first_step (p : list rational) (P : list (list rational)) : chain :=
  {| initial := of_row p; forward := fun _ => of_matrix P |}.

(** Of a request: the backward correlation of its first step by Bayes' rule, as in [bayes], of which it is the only one as every
    value can occur; or one that cannot. *)
Theorem reverse_sound table first r : answer_reverse table first = Done r ->
  exists P p, writes_matrix table P /\ writes_list writes_number first p /\
  let n := List.length P in let c := first_step p P in valid n c /\
  match r with
  | Backward rows => List.length rows = n /\ stochastic n (of_matrix rows) /\ forall a b, (a < n)%nat -> (b < n)%nat ->
      0 < probability n c 1 (value 1 b) /\
      probability n c 1 (value 1 b) * of_matrix rows b a = probability n c 0 (value 0 a) * of_matrix P a b
  | Unreachable b => (b < n)%nat /\ probability n c 1 (value 1 b) = 0
  end.
Proof.
  unfold answer_reverse. intros H. apply bind_done in H. destruct H as [M [HM H]]. apply bind_done in H. destruct H as [m [Hm H]].
  injection H as <-. apply inside_done in HM, Hm. apply bind_done in Hm. destruct Hm as [l [Hl Hm]].
  apply bind_done in Hm. destruct Hm as [p [Hp Hm]]. apply items_exactly_read in Hl. subst first.
  destruct (over_one_sound _ _ _ Hm) as [Eg [Hc [Eu Hall]]]. rewrite Eg in *. cbn [List.length] in *.
  specialize (Hall 0%nat ltac:(lia)). destruct Hall as [Lp [Dp Up]]. unfold units_of in Up.
  change (of_matrix [p] 0) with (of_row p) in *.
  destruct (read_matrix_sound _ _ HM) as [HW _]. pose proof (well_formed_stochastic _ HW) as HP.
  destruct HW as [HC [EU HAll]]. unfold units_of in HAll.
  exists (given M), p. split; [apply matrix_read; assumption|].
  split; [exists l; split; [reflexivity|eapply (each_read number); [apply number_read|eassumption]]|].
  set (n := List.length (given M)) in *. set (c := first_step p (given M)).
  assert (Hvalid : valid n c) by (split; [exact Dp|intros t; exact HP]). split; [assumption|].
  set (w := nth 0 (units m) []) in *. set (k := IZR (common m) * IZR (common M)).
  assert (Hk : 0 < k) by (apply Rmult_lt_0_compat; apply IZR_lt; assumption).
  set (columns := map (joint_column w (units M)) (seq 0 n)).
  assert (Lc : List.length columns = n) by (unfold columns; rewrite map_length, seq_length; reflexivity).
  assert (Hcolumn : forall b, (b < n)%nat -> nth b columns [] = joint_column w (units M) b).
  { intros b Hb. unfold columns. rewrite (nth_indep _ [] (joint_column w (units M) 0)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by assumption. reflexivity. }
  assert (Hentry : forall a b, (a < n)%nat -> (b < n)%nat ->
    IZR (nth a (joint_column w (units M) b) 0%Z) = k * (of_row p a * of_matrix (given M) a b)).
  { intros a b Ha Hb. destruct (joint_column_spec w (units M) b ltac:(congruence)) as [_ ->].
    rewrite mult_IZR, Up. destruct (HAll a Ha) as [_ [_ ->]]. unfold k. ring. }
  assert (Hmarginal : forall b, (b < n)%nat -> IZR (added (joint_column w (units M) b)) = k * probability n c 1 (value 1 b)).
  { intros b Hb. unfold added. rewrite added_spec. destruct (joint_column_spec w (units M) b ltac:(congruence)) as [-> _].
    rewrite EU. rewrite Rplus_0_l, marginal_probability by auto. unfold marginal. cbn [past]. unfold nothing. rewrite Rmult_1_r, <- sum_scale.
    apply sum_ext. intros a Ha. rewrite Hentry by assumption. cbn. ring. }
  pose proof (reversed_rows_spec columns 0) as HR. destruct (reversed_rows columns 0) as [rows|b]; rewrite Lc in HR.
  - destruct HR as [Lr HR]. split; [assumption|].
    assert (HB : forall a b, (a < n)%nat -> (b < n)%nat -> 0 < probability n c 1 (value 1 b) /\
      of_matrix rows b a = of_row p a * of_matrix (given M) a b / probability n c 1 (value 1 b)).
    { intros a b Ha Hb. destruct (HR b Hb) as [Hpos Erow]. rewrite Hcolumn in Hpos, Erow by assumption.
      assert (Hpr : 0 < probability n c 1 (value 1 b)).
      { apply Rmult_lt_reg_l with k; [assumption|]. rewrite Rmult_0_r, <- Hmarginal by assumption. apply IZR_lt. assumption. }
      split; [assumption|]. unfold of_matrix at 1. rewrite Erow, backward_row_spec by assumption.
      rewrite Hentry, Hmarginal by assumption. field. lra. }
    split.
    + intros b Hb. split.
      * intros a Ha. destruct (HB a b Ha Hb) as [Hpr ->]. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; assumption].
        apply Rmult_le_pos; [apply Dp; assumption|apply HP; assumption].
      * destruct (HB b b Hb Hb) as [Hpr _].
        rewrite (sum_ext n _ (fun a => of_row p a * of_matrix (given M) a b * / probability n c 1 (value 1 b))) by (intros a Ha; apply HB; assumption).
        rewrite sum_scale_r. replace (sum n (fun a => of_row p a * of_matrix (given M) a b)) with (probability n c 1 (value 1 b)); [field; lra|].
        rewrite marginal_probability by auto. unfold marginal. cbn [past]. unfold nothing. rewrite Rmult_1_r.
        apply sum_ext. intros a _. cbn. ring.
    + intros a b Ha Hb. destruct (HB a b Ha Hb) as [Hpr ->]. split; [assumption|].
      rewrite (marginal_probability n c 0 0 a) by auto. unfold marginal. cbn [past]. unfold nothing. cbn [initial c first_step]. field. lra.
  - destruct HR as [Hb HR]. rewrite Nat.sub_0_r, Hcolumn in HR by lia. split; [lia|]. apply Rle_antisym.
    + apply Rmult_le_reg_l with k; [assumption|]. rewrite Rmult_0_r, <- Hmarginal by lia. apply IZR_le. assumption.
    + rewrite marginal_probability by (auto; lia). apply marginal_nonneg; [assumption|lia].
Qed.
