(** The verified checker on what is attained of the tight leakage: the answers of randomized
    responses, in integers. *)

From TPL Require Export CheckForever.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** Answers *)

Fixpoint scaled_on (up : bool) (unit budget : Z) (listed : list bool) (f : list Z) : list Z :=
  match listed, f with
  | b :: listed', x :: f' => (if b then divide up (x * budget) unit else x) ::
    scaled_on up unit budget listed' f'
  | _, _ => []
  end.
(** P f. *)
Definition applied (up : bool) (M : distributions) (f : list Z) : list Z :=
  map (fun row => divide up (product_sum row f 0) (common M)) (units M).

(** Likelihoods from below and from above, in units of 1/unit, after the answers yes about these
    sets. *)
Fixpoint answered (Ms : list distributions) (unit : Z) (sets : list (list bool)) (budgets :
  list (Z * Z)) (least most : list Z) : list Z * list Z :=
  match Ms, sets, budgets with
  | M :: Ms', listed :: sets', (b, b') :: budgets' =>
      answered Ms' unit sets' budgets' (applied false M (scaled_on false unit b listed least))
        (applied true M (scaled_on true unit b' listed most))
  | _, _, _ => (least, most)
  end.

Definition both_occur := "both values can occur".
Definition one_chain := "the matrices are those of one chain".

Definition grid_below (unit : Z) (e : enclosure) : Z := divide false (fst (low e) * unit)
  (snd (low e)).
Definition read_sets (n : nat) (j : json) : result (list (list bool)) :=
  let! l := items j in each (fun s => let! columns := subset n s in Done (mask n 0 columns)) l.

(** What the answers come to for j and k, where it is more than 1. *)
Definition ratio_answered (n : nat) (Ms : list distributions) (unit : Z) (sets : list (list bool))
  (budgets : list (Z * Z)) (j k : nat) : option (Z * Z) :=
  let (least, most) := answered Ms unit sets budgets (repeat unit n) (repeat unit n) in
  let p := (nth j least 0, nth k most 0) in
  if (0 <? snd p) && (snd p <? fst p) then Some p else None.
Definition times (e : enclosure) (p : option (Z * Z)) : enclosure := match p with None =>
  e | Some p => plus e (of_ratio p) end.

Definition check_tight_lower (l : list json) : result claim :=
  match l with
  | [d; assumed; backward; forward; epsilons; time; two; past; future; level] =>
      let! (bits, budgets, (B, F)) := read_stream d epsilons backward forward in
      let! _ := inside "assumed" (assumes [about_steps (fst B) (fst F); both_occur; one_chain]
        assumed) in
      let n := values_of_both (fst B) (fst F) in
      let count := List.length budgets in
      let! t1 := inside "time" (integer 1 (Z.of_nat count) time) in
      let t := Z.to_nat (t1 - 1) in
      let! chosen := inside "rows" (rows n two) in
      match chosen with
      | None => Rejected "rows" "two values are expected"
      | Some (j, k) =>
          let! _ := inside "rows" (require (negb (Nat.eqb j k) && Nat.ltb j n && Nat.ltb k n)
            "two values are expected") in
          let! pasts := inside "past" (read_sets n past) in
          let! futures := inside "future" (read_sets n future) in
          let! _ := inside "past" (require (Nat.eqb (List.length pasts) (match values_in (fst B)
            with O => 0%nat | _ => t end))
            "a set for each time is expected") in
          let! _ := inside "future" (require (Nat.eqb (List.length futures) (match
            values_in (fst F) with
            O => 0%nat | _ => (count - 1 - t)%nat end))
            "a set for each time is expected") in
          let unit := two_to bits in
          let grids := map (fun b => (grid_below unit (snd b), on_grid unit (snd b))) budgets in
          let before := ratio_answered n (firstn t (snd B)) unit pasts (firstn t grids) j k in
          let after := ratio_answered n (rev (skipn t (snd F))) unit futures
            (firstn (count - 1 - t) (rev grids)) j k in
          match nth_error budgets t with
          | None => Rejected "time" "there is no such time"
          | Some (_, budget) =>
              let! (v, claimed) := inside "level" (read_level bits level) in
              let! _ := inside "level" (require (at_most claimed (times (times budget before)
                after)) "it is not attained") in
              Done (Tight_lower (fst B) (fst F) (map fst budgets) t j k v)
          end
      end
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

(** Integers at most, or (up) at least, likelihoods in units of 1/unit. *)
Definition bounds_of (up : bool) (n : nat) (unit : Z) (f : nat -> R) (z : list Z) : Prop :=
  List.length z = n /\ forall a, (a < n)%nat -> (0 <= nth a z 0)%Z /\ 0 <= f a /\
  if up then f a * IZR unit <= IZR (nth a z 0%Z) else IZR (nth a z 0%Z) <= f a * IZR unit.

Lemma scaled_on_sound (up : bool) n unit budget x listed f z : (0 < unit)%Z -> (0 <= budget)%Z ->
  List.length listed = n ->
  (if up then exp x * IZR unit <= IZR budget else IZR budget <= exp x * IZR unit) ->
    bounds_of up n unit f z ->
  bounds_of up n unit (fun a => corner (fun a => nth a listed false) (exp x) a * f a) (scaled_on up
    unit budget listed z).
Proof.
  intros Hu Hb0 El Hb [Ez H].
  assert (Hs : List.length (scaled_on up unit budget listed z) = n /\ forall a, (a < n)%nat ->
    nth a (scaled_on up unit budget listed z) 0%Z = if nth a listed false then divide up
      (nth a z 0 * budget)%Z unit else nth a z 0%Z).
  { clear H. revert z n El Ez. induction listed as [|b listed IH]; intros [|y z] n El Ez; simpl in
    *; subst n; try discriminate.
    - split; [reflexivity|]. intros; lia.
    - destruct (IH z (List.length listed) eq_refl ltac:(congruence)) as [H1 H2].
      split; [congruence|].
      intros [|a] Ha; [reflexivity|]. apply H2. lia. }
  destruct Hs as [H1 H2]. split; [assumption|]. intros a Ha. rewrite H2 by assumption.
    destruct (H a Ha) as [Z0 [F0 HZ]].
  unfold corner. pose proof (exp_pos x). apply IZR_lt in Hu as HU. apply IZR_le in Z0 as Z0'.
    apply IZR_le in Hb0 as Hb0'.
  destruct (nth a listed false); [|rewrite Rmult_1_l; auto].
  split; [apply divide_nonneg; [apply Z.mul_nonneg_nonneg; assumption|assumption]|].
  split; [apply Rmult_le_pos; lra|]. destruct up.
  - pose proof (divide_up (nth a z 0 * budget)%Z unit Hu) as Hd. rewrite mult_IZR in Hd.
    apply Rmult_le_reg_r with (IZR unit); [assumption|]. eapply Rle_trans; [|exact Hd].
    replace (exp x * f a * IZR unit * IZR unit) with (f a * IZR unit * (exp x * IZR unit)) by ring.
    apply Rmult_le_compat; auto; apply Rmult_le_pos; lra.
  - pose proof (divide_down (nth a z 0 * budget)%Z unit Hu) as Hd. rewrite mult_IZR in Hd.
    apply Rmult_le_reg_r with (IZR unit); [assumption|]. eapply Rle_trans; [exact Hd|].
    replace (exp x * f a * IZR unit * IZR unit) with (f a * IZR unit * (exp x * IZR unit)) by ring.
    apply Rmult_le_compat; auto.
Qed.

Lemma applied_sound (up : bool) M unit f z : let n := List.length (given M) in well_formed n M ->
  (0 < unit)%Z ->
  bounds_of up n unit f z -> bounds_of up n unit (fun a => dot n (of_matrix (given M) a) f)
    (applied up M z).
Proof.
  intros n [Hc [El Hall]] Hu [Ez H]. fold n in El, Hall.
    split; [unfold applied; rewrite map_length; assumption|].
  intros a Ha. destruct (Hall a Ha) as [Ea [[Hnn _] Hua]]. unfold units_of in Hua.
  unfold applied. set (g := fun row => divide up (product_sum row z 0) (common M)).
  rewrite (nth_indep _ 0%Z (g [])) by (rewrite map_length; lia). rewrite map_nth. unfold g.
  set (row := nth a (units M) []) in *. pose proof (product_sum_spec row z 0 ltac:(congruence))
    as Hs.
  rewrite Ea, Rplus_0_l in Hs. apply IZR_lt in Hc as HC. apply IZR_lt in Hu as HU.
  assert (Hterm : forall b, (b < n)%nat -> 0 <= IZR (nth b row 0%Z)).
  { intros b Hb. rewrite Hua. apply Rmult_le_pos; [lra|apply Hnn; assumption]. }
  assert (Hs0 : (0 <= product_sum row z 0)%Z).
  { apply le_IZR. rewrite Hs. apply sum_nonneg. intros b Hb. destruct (H b Hb) as [Z0 _].
    apply IZR_le in Z0.
    apply Rmult_le_pos; auto. }
  split; [apply divide_nonneg; assumption|].
  split; [apply sum_nonneg; intros b Hb; destruct (H b Hb) as [_ [F0 _]]; apply Rmult_le_pos;
    auto|].
  assert (E : dot n (of_matrix (given M) a) f * IZR unit * IZR (common M) =
    sum n (fun b => IZR (nth b row 0%Z) * (f b * IZR unit))).
  { unfold dot. rewrite <- !sum_scale_r. apply sum_ext. intros b _. rewrite Hua. ring. }
  destruct up.
  - pose proof (divide_up (product_sum row z 0) (common M) Hc) as Hd.
    apply Rmult_le_reg_r with (IZR (common M)); [assumption|].
    eapply Rle_trans; [|exact Hd]. rewrite E, Hs. apply sum_le. intros b Hb.
      destruct (H b Hb) as [_ [_ HZ]].
    apply Rmult_le_compat_l; auto.
  - pose proof (divide_down (product_sum row z 0) (common M) Hc) as Hd.
    apply Rmult_le_reg_r with (IZR (common M)); [assumption|].
    eapply Rle_trans; [exact Hd|]. rewrite E, Hs. apply sum_le. intros b Hb.
      destruct (H b Hb) as [_ [_ HZ]].
    apply Rmult_le_compat_l; auto.
Qed.

Lemma bounds_ext up n unit f g z : (forall a, (a < n)%nat -> f a = g a) -> bounds_of up n unit f z
  -> bounds_of up n unit g z.
Proof. intros E [El H]. split; [assumption|]. intros a Ha. rewrite <- E by assumption. auto. Qed.

(** Steps whose matrices are these. *)
Definition steps_from (n : nat) (B : nat -> nat -> nat -> R) (s : nat) (Ms : list distributions) :
  Prop :=
  forall i, (i < List.length Ms)%nat -> List.length (given (nth i Ms no_matrix)) = n /\
  well_formed n (nth i Ms no_matrix) /\ forall a b, (a < n)%nat -> (b < n)%nat ->
    B (s + i)%nat a b = of_matrix (given (nth i Ms no_matrix)) a b.

(** The answers asked from time s on. *)
Lemma answered_sound n unit B w e : (0 < unit)%Z ->
  forall Ms sets budgets s least most,
  List.length Ms = List.length sets -> List.length budgets = List.length sets ->
  (forall i a, (i < List.length sets)%nat -> (a < n)%nat ->
     w (s + i)%nat a = corner (fun a => nth a (nth i sets []) false) (exp (e (s + i)%nat)) a) ->
  (forall i, (i < List.length sets)%nat -> List.length (nth i sets []) = n /\
     let p := nth i budgets (0%Z, 0%Z) in (0 <= fst p)%Z /\ IZR (fst p) <= exp (e (s + i)%nat) *
       IZR unit <= IZR (snd p)) ->
  steps_from n B s Ms ->
  bounds_of false n unit (before n B w s) least -> bounds_of true n unit (before n B w s) most ->
  let r := answered Ms unit sets budgets least most in
  bounds_of false n unit (before n B w (s + List.length sets)) (fst r) /\
  bounds_of true n unit (before n B w (s + List.length sets)) (snd r).
Proof.
  intros Hu. induction Ms as [|M Ms IH]; intros sets budgets s least most Em Eb Hw Hp HB Hl Hm.
  - destruct sets; [|discriminate]. cbn. rewrite Nat.add_0_r. auto.
  - destruct sets as [|listed sets]; [discriminate|].
    destruct budgets as [|[b b'] budgets]; [discriminate|]. cbn [answered List.length].
    rewrite Nat.add_succ_r, <- Nat.add_succ_l.
    destruct (Hp 0%nat ltac:(simpl; lia)) as [Elist Hb]. cbn [nth] in Elist, Hb. cbv zeta in Hb.
      cbn [fst snd] in Hb.
    rewrite Nat.add_0_r in Hb. destruct Hb as [Hb0 [Hb1 Hb2]].
    assert (Hb0' : (0 <= b')%Z).
    { apply le_IZR. eapply Rle_trans; [|exact Hb2]. apply IZR_lt in Hu. apply Rmult_le_pos;
      [left; apply exp_pos|lra]. }
    destruct (HB 0%nat ltac:(cbn; lia)) as [En [HM Hsame]]. cbn [nth] in En, HM, Hsame.
    rewrite Nat.add_0_r in Hsame.
    assert (Hnext : forall a, (a < n)%nat -> dot n (of_matrix (given M) a)
       (fun a => corner (fun a => nth a listed false) (exp (e s)) a * before n B w s a) = before n
         B w (S s) a).
    { intros a Ha. simpl before. apply dot_ext.
      - intros d Hd. symmetry. apply Hsame; assumption.
      - intros d Hd. rewrite likelihood_before. specialize (Hw 0%nat d). rewrite Nat.add_0_r in Hw.
        rewrite Hw by (simpl; auto; lia). reflexivity. }
    apply IH; [simpl in Em; lia|simpl in Eb; lia| | | | |].
    + intros i a Hi Ha. specialize (Hw (S i) a ltac:(simpl; lia) Ha). rewrite Nat.add_succ_r in Hw.
      exact Hw.
    + intros i Hi. specialize (Hp (S i) ltac:(simpl; lia)). rewrite Nat.add_succ_r in Hp. exact Hp.
    + intros i Hi. specialize (HB (S i) ltac:(simpl; lia)). rewrite Nat.add_succ_r in HB. exact HB.
    + apply (bounds_ext _ _ _ _ _ _ Hnext). rewrite <- En in *. apply applied_sound; auto.
      apply scaled_on_sound; auto.
    + apply (bounds_ext _ _ _ _ _ _ Hnext). rewrite <- En in *. apply applied_sound; auto.
      apply scaled_on_sound; auto.
Qed.

Lemma before_ext n B B' w v s a : (forall r b d, (r < s)%nat -> (b < n)%nat -> (d < n)%nat ->
  B r b d = B' r b d) ->
  (forall r b, (r < s)%nat -> (b < n)%nat -> w r b = v r b) -> (a < n)%nat ->
    before n B w s a = before n B' v s a.
Proof.
  intros HB Hw. revert a. induction s as [|s IH]; intros a Ha; [reflexivity|]. simpl.
    apply dot_ext; [intros; apply HB; auto|].
  intros b Hb. rewrite !likelihood_before, Hw, IH by auto. reflexivity.
Qed.

(** What the answers come to is attained by likelihoods w that are, up to a factor for each time,
    those of the answers; where it is not counted, by likelihoods that are the same for all values.
    *)
Definition attains (n : nat) (B : nat -> nat -> nat -> R) (w : knowledge) (s j k : nat) (p :
  option (Z * Z)) : Prop :=
  0 < before n B w s k /\
  match p with
  | None => before n B w s k <= before n B w s j
  | Some p => (0 < snd p)%Z /\ (0 < fst p)%Z /\ IZR (fst p) * before n B w s k <= IZR (snd p) *
    before n B w s j
  end.

Lemma attains_scaled n B w v s m j k p : (forall t, stochastic n (B t)) -> (j < n)%nat ->
  (k < n)%nat ->
  (forall r, 0 < m r) -> (forall r b, (r < s)%nat -> (b < n)%nat -> w r b = v r b * m r) ->
  (forall r b, (r < s)%nat -> (b < n)%nat -> 0 < v r b) -> attains n B v s j k p ->
    attains n B w s j k p.
Proof.
  intros HB Hj Hk Hm Hw Hv [H0 H].
  destruct (before_scaled n B w v s m j (fun r => Rgt_not_eq _ _ (Hm r)) Hw Hj) as [x [Hx E]].
  assert (Hwp : 0 < before n B w s k).
  { apply before_positive; auto. intros r b Hr Hb. rewrite Hw by assumption.
    apply Rmult_lt_0_compat; auto. }
  assert (Hx0 : 0 < x).
  { rewrite E in Hwp by assumption. destruct (Rlt_dec 0 x) as [?|N]; [assumption|exfalso].
    assert (0 <= - x * before n B v s k) by (apply Rmult_le_pos; lra). lra. }
  split; [assumption|]. rewrite !E by assumption. destruct p as [p|].
  - destruct H as [H1 [H2 H]]. repeat split; auto.
    replace (IZR (fst p) * (x * before n B v s k)) with (x * (IZR (fst p) * before n B v s k))
      by ring.
    replace (IZR (snd p) * (x * before n B v s j)) with (x * (IZR (snd p) * before n B v s j))
      by ring.
    apply Rmult_le_compat_l; lra.
  - apply Rmult_le_compat_l; lra.
Qed.

Lemma attains_nothing n B v s j k : (forall t, stochastic n (B t)) -> (j < n)%nat -> (k < n)%nat ->
  (forall r b, (r < s)%nat -> v r b = 1) -> attains n B v s j k None.
Proof. intros HB Hj Hk Hv. unfold attains. rewrite !before_nothing by auto. lra. Qed.

Lemma ratio_answered_sound n Ms unit sets budgets B e s j k p :
  (0 < unit)%Z -> (forall t, stochastic n (B t)) -> (j < n)%nat ->
    (k < n)%nat ->
  List.length Ms = s -> List.length sets = s -> List.length budgets = s ->
  (forall i, (i < s)%nat -> List.length (nth i sets []) = n /\
     let p := nth i budgets (0%Z, 0%Z) in (0 <= fst p)%Z /\ IZR (fst p) <= exp (e i) * IZR unit <=
       IZR (snd p)) ->
  steps_from n B 0 Ms ->
  ratio_answered n Ms unit sets budgets j k = Some p ->
  attains n B (fun i => corner (fun a => nth a (nth i sets []) false) (exp (e i))) s j k (Some p).
Proof.
  intros Hu HB Hj Hk Em Es Eb Hp Hsame H. unfold ratio_answered in H.
  set (w := fun i => corner (fun a => nth a (nth i sets []) false) (exp (e i))) in *.
  assert (Hone : forall up : bool, bounds_of up n unit (before n B w 0) (repeat unit n)).
  { intros up. split; [apply repeat_length|]. intros a Ha. rewrite nth_repeat_lt by assumption.
    simpl before.
    split; [lia|]. split; [lra|]. destruct up; lra. }
  subst s. destruct (answered_sound n unit B w e Hu Ms sets budgets 0 (repeat unit n)
    (repeat unit n)) as [Hl Hm]; auto; try congruence.
  { intros i Hi. apply Hp. lia. }
  rewrite Es in *.
  destruct (answered Ms unit sets budgets (repeat unit n) (repeat unit n)) as [least most].
  cbv zeta in H. cbn [fst snd] in Hl, Hm, H. set (s := List.length Ms) in *.
  destruct (0 <? nth k most 0)%Z eqn:E1; [|discriminate].
    destruct (nth k most 0 <? nth j least 0)%Z eqn:E2; [|discriminate].
  simpl in H. injection H as <-. apply Z.ltb_lt in E1, E2. assert (E3 : (0 < nth j least 0)%Z)
    by lia. simpl plus in Hl, Hm.
  destruct Hl as [_ Hl]. destruct Hm as [_ Hm]. destruct (Hl j Hj) as [_ [_ Hlj]].
    destruct (Hm k Hk) as [_ [_ Hmk]].
  assert (Hpos : forall r b, (r < s)%nat -> (b < n)%nat -> 0 < w r b).
  { intros r b _ _. unfold w, corner. pose proof (exp_pos (e r)).
    destruct (nth b (nth r sets []) false); lra. }
  split; [apply before_positive; auto|]. cbn [fst snd]. split; [assumption|]. split; [assumption|].
  apply Rle_trans with (before n B w s j * IZR unit * before n B w s k).
  - apply Rmult_le_compat_r; [left; apply before_positive; auto|assumption].
  - replace (before n B w s j * IZR unit * before n B w s k) with (before n B w s k * IZR unit *
    before n B w s j) by ring.
    apply Rmult_le_compat_r; [left; apply before_positive; auto|assumption].
Qed.

Lemma mask_length n at_column columns : List.length (mask n at_column columns) = n.
Proof. revert at_column columns. induction n as [|n IH]; intros at_column [|c columns]; simpl;
  auto. destruct (c =? at_column)%Z; simpl; auto. Qed.

Lemma read_sets_length n j sets i : read_sets n j = Done sets -> (i < List.length sets)%nat ->
  List.length (nth i sets []) = n.
Proof.
  unfold read_sets, each. intros H. apply bind_done in H. destruct H as [l [_ H]]. revert sets i H.
    generalize 1%nat.
  induction l as [|x l IH]; intros at_item sets i H Hi; cbn [each_from] in H.
  - injection H as <-. simpl in Hi. lia.
  - destruct (let! columns := subset n x in Done (mask n 0 columns)) eqn:E; simpl in H;
    try discriminate.
    step H. injection H as <-. destruct i as [|i].
    + step E. injection E as <-. simpl. apply mask_length.
    + simpl. eapply IH; [eassumption|]. simpl in Hi. lia.
Qed.

(** The sets of all times: those before t, the value j at t, those after it, the last time first.
    *)
Definition sets_asked (T t j : nat) (pasts futures : list (list bool)) (s : nat) : set :=
  if Nat.ltb s t then fun a => nth a (nth s pasts []) false
  else if Nat.eqb s t then fun a => Nat.eqb a j else fun a => nth a (nth (T - s) futures []) false.

Definition log_ratio (p : option (Z * Z)) : R := match p with None => 0 | Some p =>
  ln (IZR (fst p) / IZR (snd p)) end.
Definition positive_ratio (p : option (Z * Z)) : Prop := match p with None => True | Some p =>
  (0 < fst p)%Z /\ (0 < snd p)%Z end.

Lemma times_sound e p x : encloses e (Some x) -> positive_ratio p -> encloses (times e p)
  (Some (x + log_ratio p)).
Proof.
  intros He Hp. destruct p as [p|]; simpl.
  - pose proof (of_ratio_sound p (proj1 Hp) ltac:(destruct Hp; lia)) as Hr. unfold log_of in Hr.
    destruct Hp.
    destruct (Z.eqb_spec (snd p) 0); [lia|]. exact (plus_sound _ _ _ _ He Hr).
  - rewrite Rplus_0_r. assumption.
Qed.

Lemma ratio_answered_positive n Ms unit sets budgets j k : positive_ratio (ratio_answered n Ms
  unit sets budgets j k).
Proof.
  unfold ratio_answered. destruct (answered _ _ _ _ _ _)
    as [least most]. cbv zeta.
  destruct (_ && _) eqn:E; [|exact I]. apply andb_prop in E. destruct E as [E1 E2].
    apply Z.ltb_lt in E1, E2. simpl in *. lia.
Qed.

Lemma attains_value n B w s j k p : attains n B w s j k p ->
  0 < before n B w s k /\ exp (log_ratio p) * before n B w s k <= before n B w s j.
Proof.
  intros [H0 H]. split; [assumption|]. destruct p as [p|]; simpl.
  - destruct H as [H1 [H2 H]]. apply IZR_lt in H1, H2. rewrite exp_ln by (apply Rdiv_lt_0_compat;
    assumption).
    apply Rmult_le_reg_r with (IZR (snd p)); [assumption|].
    replace (IZR (fst p) / IZR (snd p) * before n B w s k * IZR (snd p))
      with (IZR (fst p) * before n B w s k) by (field; lra). lra.
  - rewrite exp_0. lra.
Qed.

Lemma lower_sound n c B e T t j k sets from to lx ly v :
  valid n c -> bayes n c B -> (t <= T)%nat -> (from <= t <= to)%nat -> (j < n)%nat ->
    (k < n)%nat -> j <> k ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) -> sets t = (fun a =>
    Nat.eqb a j) ->
  let w := outputs (randomized_response e sets) (fun _ => true) from to in
  let F := fun s => forward c (T - S s)%nat in
  0 < before n B w t k -> exp lx * before n B w t k <= before n B w t j ->
  0 < before n F (turned T w) (T - t) k -> exp ly * before n F (turned T w) (T - t) k <= before n F
    (turned T w) (T - t) j ->
  v <= e t + lx + ly ->
  exp v * conditional n c T w (value t k) <= conditional n c T w (value t j) /\
    0 < conditional n c T w (value t k).
Proof.
  intros Hc HB Ht Hft Hj Hk Hjk Pj Pk Hsets w F X0 X Y0 Y Hv.
  rewrite !(given_value n c T B), !likelihood_before, !future_from by assumption. fold F.
  set (bj := before n B w t j) in *. set (bk := before n B w t k) in *.
  set (fj := before n F (turned T w) (T - t) j) in *. set (fk := before n F (turned T w) (T - t) k)
    in *.
  assert (Hm : 0 < / (exp (e t) + 1)) by (apply Rinv_0_lt_compat; pose proof (exp_pos (e t)); lra).
  assert (Ew : forall a, w t a = (if Nat.eqb a j then exp (e t) else 1) * / (exp (e t) + 1)).
  { intros a. unfold w, outputs. destruct (Nat.leb_spec from t); [|lia].
    destruct (Nat.leb_spec t to); [|lia]. simpl.
    unfold randomized_response. rewrite Hsets. destruct (Nat.eqb a j); simpl; reflexivity. }
  rewrite !Ew, Nat.eqb_refl. destruct (Nat.eqb_spec k j); [congruence|].
  split.
  - apply Rle_trans with (exp (e t + lx + ly) * (1 * / (exp (e t) + 1) * bk * fk)).
    + apply Rmult_le_compat_r; [|apply exp_le; assumption]. apply Rmult_le_pos;
      [apply Rmult_le_pos|]; lra.
    + rewrite !exp_plus. pose proof (exp_pos (e t)). pose proof (exp_pos lx).
      pose proof (exp_pos ly).
      replace (exp (e t) * exp lx * exp ly * (1 * / (exp (e t) + 1) * bk * fk))
        with (exp (e t) * / (exp (e t) + 1) * (exp lx * bk) * (exp ly * fk)) by ring.
      apply Rmult_le_compat; auto.
      * apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. apply Rmult_le_pos; lra.
      * apply Rmult_le_pos; lra.
      * apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption].
  - rewrite Rmult_1_l. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
Qed.

Lemma grid_below_sound unit e x : (0 < unit)%Z -> encloses e (Some x) ->
  (0 <= grid_below unit e)%Z /\ IZR (grid_below unit e) <= exp x * IZR unit.
Proof.
  intros Hu [_ [[H1 [H2 H3]] _]]. simpl in H3. apply IZR_lt in H1 as H1'. apply IZR_lt in Hu as HU.
  assert (Hs : (0 < snd (low e))%Z).
  { destruct (Z.eq_dec (snd (low e)) 0) as [E|N]; [|lia]. rewrite E, Rmult_0_r in H3. lra. }
  split; [apply divide_nonneg; [apply Z.mul_nonneg_nonneg; lia|assumption]|].
  pose proof (divide_down (fst (low e) * unit) (snd (low e)) Hs) as Hd. rewrite mult_IZR in Hd.
    apply IZR_lt in Hs.
  unfold grid_below. apply Rmult_le_reg_r with (IZR (snd (low e))); [assumption|].
    eapply Rle_trans; [exact Hd|].
  replace (exp x * IZR unit * IZR (snd (low e))) with (exp x * IZR (snd (low e)) * IZR unit)
    by ring. apply Rmult_le_compat_r; lra.
Qed.

(** Where nothing is asked nothing is counted. *)
Lemma nothing_answered n unit budgets j k : (j < n)%nat -> (k < n)%nat ->
  ratio_answered n [] unit [] budgets j k = None.
Proof.
  intros Hj Hk. unfold ratio_answered. cbn [answered fst snd].
  rewrite !nth_repeat_lt by assumption. rewrite Z.ltb_irrefl, andb_false_r. reflexivity.
Qed.

Lemma nth_first {A} (d : A) n l i : (i < n)%nat -> nth i (firstn n l) d = nth i l d.
Proof.
  revert l i. induction n as [|n IH]; intros [|x l] [|i] H; cbn; try lia; auto. apply IH. lia.
Qed.
Lemma nth_skip {A} (d : A) n l i : nth i (skipn n l) d = nth (n + i) l d.
Proof. revert l. induction n as [|n IH]; intros [|x l]; cbn; auto. destruct i; reflexivity. Qed.

Lemma tight_lower_claim B F Bs Fs unit budgets pasts futures t j k w budget claimed v :
  let n := values_of_both B F in let T := (List.length budgets - 1)%nat in
  let grids := map (fun b => (grid_below unit (snd b), on_grid unit (snd b))) budgets in
  let before := ratio_answered n (firstn t Bs) unit pasts (firstn t grids) j k in
  let after := ratio_answered n (rev (skipn t Fs)) unit futures (firstn (T - t) (rev grids)) j k in
  steps_are B n Bs 0 T -> steps_are F n Fs 0 T -> (0 < unit)%Z ->
  Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w)) (map snd budgets)
    (map fst budgets) -> finite budgets = true ->
  (j < n)%nat -> (k < n)%nat -> j <> k ->
  (forall i, (i < List.length pasts)%nat -> List.length (nth i pasts []) = n) ->
  (forall i, (i < List.length futures)%nat -> List.length (nth i futures []) = n) ->
  List.length pasts = match values_in B with O => 0%nat | _ => t end ->
  List.length futures = match values_in F with O => 0%nat | _ => (T - t)%nat end ->
  nth_error budgets t = Some (w, budget) -> encloses claimed (of_level v) ->
  at_most claimed (times (times budget before) after) = true ->
  holds (Tight_lower B F (map fst budgets) t j k v).
Proof.
  intros n T grids bef aft HB HF Hu Hls Hfin Hj Hk Hjk Hlp Hlf Ep Ef Ew Hv Hle.
  assert (HtT : (t < List.length budgets)%nat) by (apply nth_error_Some; congruence).
  cbn [holds]. rewrite map_length. fold T. split; [assumption|]. split; [assumption|].
  intros e He He0.
  pose proof (known_budget budgets e Hls Hfin He) as Hevery.
  assert (Hgrid : forall s, (s < List.length budgets)%nat -> let p := nth s grids (0%Z, 0%Z) in
            (0 <= fst p)%Z /\ IZR (fst p) <= exp (e s) * IZR unit <= IZR (snd p)).
  { intros s Hs. destruct (Hevery s Hs) as [w1 [one [E1 [Henc Hpos]]]].
    rewrite (nth_error_nth grids s (0%Z, 0%Z) (x := (grid_below unit one, on_grid unit one))).
    - destruct (grid_below_sound unit one (e s) Hu Henc) as [G1 G2].
      pose proof (on_grid_sound unit one (e s) Hu Henc Hpos). auto.
    - unfold grids. rewrite nth_error_map, E1. reflexivity. }
  assert (Hlg : List.length grids = List.length budgets) by (unfold grids; apply map_length).
  destruct (Hevery t HtT) as [w1 [one [E1 [Hone _]]]]. rewrite Ew in E1. injection E1 as <- <-.
  pose proof (ratio_answered_positive n (firstn t Bs) unit pasts (firstn t grids) j k) as Hp.
    fold bef in Hp.
  pose proof (ratio_answered_positive n (rev (skipn t Fs)) unit futures (firstn (T - t)
    (rev grids)) j k) as Hp'.
    fold aft in Hp'.
  pose proof (at_most_sound _ _ _ _ Hv (times_sound _ _ _ (times_sound _ _ _ Hone Hp) Hp') Hle)
    as Hlevel.
  unfold leaks_as_much. destruct (of_level v) as [x|]; [|contradiction].
  intros n' c [Hc [HcB HcF]] Hj' Hk' Pj Pk.
  assert (HBn : values_in B = 0%nat /\ Bs = [] \/ values_in B <> 0%nat /\ values_in B = n /\
    List.length Bs = T /\ forall i, (i < T)%nat -> List.length (given (nth i Bs no_matrix)) = n /\
    well_formed n (nth i Bs no_matrix) /\ given (nth i Bs no_matrix) = at_step B i).
  { unfold steps_are in HB. destruct (Nat.eqb_spec (values_in B) 0); auto. }
  assert (HFn : values_in F = 0%nat /\ Fs = [] \/ values_in F <> 0%nat /\ values_in F = n /\
    List.length Fs = T /\ forall i, (i < T)%nat -> List.length (given (nth i Fs no_matrix)) = n /\
    well_formed n (nth i Fs no_matrix) /\ given (nth i Fs no_matrix) = at_step F i).
  { unfold steps_are in HF. destruct (Nat.eqb_spec (values_in F) 0); auto. }
  clear HB HF.
  assert (En : n' = n).
  { destruct HBn as [[EB _]|[NB [EB _]]]; [|destruct HcB as [Z|[E _]]; [contradiction|congruence]].
    destruct HFn as [[EF _]|[NF [EF _]]]; [|destruct HcF as [Z|[E _]]; [contradiction|congruence]].
    unfold n, values_of_both in Hj. rewrite EB, EF in Hj. cbn in Hj. lia. }
  subst n'.
  assert (Hbayes : exists B', bayes n c B' /\ (values_in B = 0%nat \/ n = values_in B /\
    forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat ->
      B' s a b = of_matrix (at_step B s) a b)).
  { destruct HcB as [E|[En [B' [HB' Hsame]]]].
    - exists (reversed n c). split; [apply bayes_rule; [lia|assumption]|]. left. assumption.
    - exists B'. auto. }
  destruct Hbayes as [B' [HB' Hpast]].
  set (pasts' := match bef with None => [] | Some _ => pasts end).
  set (futures' := match aft with None => [] | Some _ => futures end).
  set (sets := sets_asked T t j pasts' futures').
  set (from := first_seen B t). set (to := last_seen F T t).
  assert (Hft : (from <= t <= to)%nat).
  { unfold from, to, first_seen, last_seen, T. destruct (values_in B), (values_in F); lia. }
  set (yes := outputs (randomized_response e sets) (fun _ => true) from to).
  set (m := fun s => / (exp (e s) + 1)).
  assert (Hm : forall s, 0 < m s) by (intros s; apply Rinv_0_lt_compat; pose proof (exp_pos (e s));
    lra).
  assert (Hyes : forall s a, (from <= s <= to)%nat -> yes s a = corner (sets s) (exp (e s)) a * m
    s).
  { intros s a Hs. unfold yes, outputs. destruct (Nat.leb_spec from s); [|lia].
    destruct (Nat.leb_spec s to); [|lia]. simpl.
    unfold randomized_response, corner, m. destruct (sets s a); reflexivity. }
  assert (HX : attains n B' yes t j k bef).
  { destruct HBn as [[EB EBs]|[NB [EBn [LB HBs]]]].
    - rewrite EB in Ep. apply length_zero_iff_nil in Ep.
      replace bef with (@None (Z * Z)) by (unfold bef; rewrite EBs, Ep, firstn_nil; symmetry;
        apply nothing_answered; assumption).
      apply attains_nothing; auto; [apply HB'|]. intros r b Hr. unfold yes, outputs, from,
        first_seen. rewrite EB.
      destruct (Nat.leb_spec t r); [lia|reflexivity].
    - destruct Hpast as [E|[EnB Hsame]]; [contradiction|].
      assert (Efrom : from = 0%nat) by (unfold from, first_seen; destruct (values_in B);
        [contradiction|reflexivity]).
      apply (attains_scaled n B' yes (fun s => corner (sets s) (exp (e s))) t m); auto;
        [apply HB'| | |].
      + intros r b Hr _. apply Hyes. lia.
      + intros r b _ _. unfold corner. pose proof (exp_pos (e r)). destruct (sets r b); lra.
      + destruct bef as [p|] eqn:Eb.
        * unfold bef in Eb.
          assert (Hat : attains n B' (fun i => corner (fun a => nth a (nth i pasts []) false)
            (exp (e i))) t j k (Some p)).
          { assert (Lp : List.length pasts = t)
              by (rewrite Ep; destruct (values_in B); [contradiction|reflexivity]).
            apply (ratio_answered_sound n (firstn t Bs) unit pasts (firstn t grids) B' e t j k p);
              auto.
            - apply HB'.
            - rewrite firstn_length. lia.
            - rewrite firstn_length. lia.
            - intros i Hi. split; [apply Hlp; lia|]. rewrite nth_first by assumption.
              apply Hgrid. lia.
            - intros i Hi. rewrite firstn_length in Hi. rewrite nth_first by lia.
              destruct (HBs i ltac:(lia)) as [H1 [H2 H3]]. split; [assumption|].
              split; [assumption|]. intros a b Ha Hb. rewrite H3. apply Hsame; auto. lia. }
          destruct Hat as [A0 A1].
          assert (Esame : forall a, (a < n)%nat -> before n B' (fun s =>
            corner (sets s) (exp (e s))) t a =
             before n B' (fun i => corner (fun a => nth a (nth i pasts []) false) (exp (e i))) t
               a).
          { intros a Ha. apply before_ext; [reflexivity| |assumption]. intros r b Hr' _.
            unfold sets, sets_asked.
            destruct (Nat.ltb_spec r t); [reflexivity|lia]. }
          split; rewrite !Esame by assumption; assumption.
        * apply attains_nothing; auto; [apply HB'|]. intros r b Hr. unfold sets, sets_asked,
          pasts', corner.
          destruct (Nat.ltb_spec r t); [|lia]. destruct r, b; reflexivity. }
  assert (HY : attains n (fun s => forward c (T - S s)%nat) (turned T yes) (T - t) j k aft).
  { assert (HF' : forall s, stochastic n (forward c (T - S s)%nat)) by (intros s; apply Hc).
    destruct HFn as [[EF EFs]|[NF [EFn [LF HFs]]]].
    - rewrite EF in Ef. apply length_zero_iff_nil in Ef.
      replace aft with (@None (Z * Z)) by (unfold aft; rewrite EFs, Ef, skipn_nil; symmetry;
        apply nothing_answered; assumption).
      apply attains_nothing; auto. intros r b Hr. unfold turned, yes, outputs, to, last_seen.
        rewrite EF.
      destruct (Nat.leb_spec (T - r) t); [lia|]. rewrite andb_false_r. reflexivity.
    - destruct HcF as [E|[EnF Hsame]]; [contradiction|].
      assert (Eto : to = T) by (unfold to, last_seen; destruct (values_in F);
        [contradiction|reflexivity]).
      apply (attains_scaled n _ (turned T yes) (turned T (fun s => corner (sets s) (exp (e s))))
        (T - t) (turned T m)); auto.
      + intros r. apply Hm.
      + intros r b Hr _. unfold turned. apply Hyes. lia.
      + intros r b _ _. unfold turned, corner. pose proof (exp_pos (e (T - r)%nat)).
        destruct (sets (T - r)%nat b); lra.
      + destruct aft as [p|] eqn:Ea.
        * unfold aft in Ea.
          assert (Hat : attains n (fun s => forward c (T - S s)%nat)
            (fun i => corner (fun a => nth a (nth i futures []) false) (exp (turned T e i)))
              (T - t) j k (Some p)).
          { assert (Lf : List.length futures = (T - t)%nat)
              by (rewrite Ef; destruct (values_in F); [contradiction|reflexivity]).
            apply (ratio_answered_sound n (rev (skipn t Fs)) unit futures (firstn (T - t)
              (rev grids)) _ (turned T e) (T - t) j k p); auto.
            - rewrite rev_length, skipn_length. lia.
            - rewrite firstn_length, rev_length. unfold T. lia.
            - intros i Hi. split; [apply Hlf; lia|].
              assert (Ei : nth i (firstn (T - t) (rev grids)) (0%Z, 0%Z) = nth (T - i)%nat grids
                (0%Z, 0%Z)).
              { transitivity (nth i (rev grids) (0%Z, 0%Z)).
                - rewrite <- (firstn_skipn (T - t) (rev grids)) at 2. rewrite app_nth1;
                  [reflexivity|].
                  rewrite firstn_length, rev_length. unfold T in *. lia.
                - rewrite rev_nth by (unfold T in *; lia). f_equal. unfold T. lia. }
              rewrite Ei. unfold turned. apply Hgrid. unfold T. lia.
            - intros i Hi. rewrite rev_length, skipn_length in Hi.
              rewrite rev_nth by (rewrite skipn_length; lia). rewrite skipn_length, nth_skip.
              replace (t + (List.length Fs - t - S i))%nat with (T - S i)%nat by lia.
              destruct (HFs (T - S i)%nat ltac:(lia)) as [H1 [H2 H3]]. split; [assumption|].
              split; [assumption|]. intros a b Ha Hb. rewrite H3. apply Hsame; auto. lia. }
          destruct Hat as [A0 A1].
          assert (Esame : forall a, (a < n)%nat ->
             before n (fun s => forward c (T - S s)%nat) (turned T (fun s =>
               corner (sets s) (exp (e s)))) (T - t) a =
             before n (fun s => forward c (T - S s)%nat) (fun i => corner (fun a =>
               nth a (nth i futures []) false) (exp (turned T e i))) (T - t) a).
          { intros a Ha. apply before_ext; [reflexivity| |assumption]. intros r b Hr' _.
            unfold turned, sets, sets_asked.
            destruct (Nat.ltb_spec (T - r) t); [lia|]. destruct (Nat.eqb_spec (T - r) t); [lia|].
            unfold futures'. replace (T - (T - r))%nat with r by lia. reflexivity. }
          split; rewrite !Esame by assumption; assumption.
        * apply attains_nothing; auto. intros r b Hr. unfold turned, sets, sets_asked, futures',
          corner.
          destruct (Nat.ltb_spec (T - r) t); [lia|]. destruct (Nat.eqb_spec (T - r) t); [lia|].
          destruct (T - (T - r))%nat, b; reflexivity. }
  destruct (attains_value _ _ _ _ _ _ _ HX) as [X0 X]. destruct (attains_value _ _ _ _ _ _ _ HY)
    as [Y0 Y].
  exists sets. split; [apply randomized_response_private; assumption|].
  apply (lower_sound n c B' e T t j k sets from to (log_ratio bef) (log_ratio aft) x); auto.
  - unfold T. lia.
  - unfold sets, sets_asked. rewrite Nat.ltb_irrefl, Nat.eqb_refl. reflexivity.
Qed.

Lemma check_tight_lower_sound l c : check_tight_lower l = Done c -> holds c.
Proof.
  unfold check_tight_lower. intros H. do 10 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. match goal with pair : option (nat * nat) |- _ => destruct pair as [[j' k']|];
    [|discriminate] end. step H.
  match type of H with match nth_error ?l ?t with _ => _ end = _ => destruct (nth_error l t)
    as [[w budget]|] eqn:Enth; [|discriminate] end.
  step H. open_pairs. injection H as <-. clean.
  match goal with E : _ && _ && _ = true |- _ => apply andb_prop in E; destruct E as [E Hk];
    apply andb_prop in E; destruct E as [Hjk Hj] end.
  apply negb_true_iff, Nat.eqb_neq in Hjk. apply Nat.ltb_lt in Hj, Hk.
  match goal with E : read_stream _ _ _ _ = Done _ |- _ => apply read_stream_sound in E;
    destruct E as [? [? [? ?]]] end.
  repeat match goal with E : (List.length _ =? _)%nat = true |- _ => apply Nat.eqb_eq in E end.
  eapply tight_lower_claim; try eassumption; try apply two_to_positive; try (intros i Hi;
    eapply read_sets_length; eassumption).
Qed.
