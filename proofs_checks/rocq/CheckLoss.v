(** The verified checker on the kinds about the loss function at a level and about the supremum of
    the recursion. *)

From TPL Require Export Matrices.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** Steps of several kinds *)

Definition infinite_ratio (e : enclosure) : bool := snd (high e) =? 0.

(** Two bounds, as they are written and as they are known. *)
Definition read_bounds (bits : Z) (j : json)
  : result ((written_level * written_level) * (enclosure * enclosure)) :=
  let! l := fields ["lower"; "upper"] j in
  match l with
  | [lower; upper] =>
      let! (l1, e1) := inside ".lower" (read_level bits lower) in
      let! (l2, e2) := inside ".upper" (read_level bits upper) in
      Done ((l1, l2), (e1, e2))
  | _ => Rejected "" "two bounds are expected"
  end.

(** What many kinds begin with: how many bits, a matrix, and a level. *)
Definition read_question (digit table : json) (name : string) (level : json)
  : result (Z * distributions * (written_level * enclosure)) :=
  let! bits := inside "digits" (digits digit) in
  let! M := inside "matrix" (read_matrix table) in
  let! l := inside name (read_level bits level) in
  Done (bits, M, l).

(** The sums of two rows over columns. *)
Definition read_sums (M : distributions) (two columns : json) : result (Z * Z) :=
  let! chosen := inside "rows" (rows (List.length (given M)) two) in
  let! listed := inside "subset" (subset (List.length (given M)) columns) in
  inside "subset" (sums M chosen listed).

Definition version_1 (j : json) : result unit := let! _ := inside "version" (integer 1 1 j) in
  Done tt.

(** ** The kinds *)

Definition check_loss (l : list json) : result claim :=
  match l with
  | [d; table; alpha; two; columns; loss; level] =>
      let! (bits, M, (a, at_alpha)) := read_question d table "alpha" alpha in
      let! qd := read_sums M two columns in
      let! (value, (low_value, high_value)) := inside "loss" (read_bounds bits loss) in
      let! _ := inside "loss" (require (at_most low_value (value_at M qd at_alpha))
        "the lower bound is above what is proved") in
      let! _ := inside "loss" (require (loss_at_most M at_alpha high_value)
        "the upper bound is not proved") in
      let! (decimals, (low_decimals, high_decimals)) := inside "level" (read_bounds bits level) in
      let! _ := inside "level" (require (at_most low_decimals low_value)
        "the lower bound is above what is proved") in
      let! _ := inside "level" (require (at_most high_value high_decimals)
        "the upper bound is below what is proved") in
      Done (Loss (given M) a value decimals)
  | _ => Rejected "" "other fields are expected"
  end.

Definition check_bounded (l : list json) : result claim :=
  match l with
  | [d; table; epsilon; bound; level] =>
      let! (bits, M, (e, budget)) := read_question d table "epsilon" epsilon in
      let! (b, at_bound) := inside "bound" (read_level bits bound) in
      let! _ := inside "bound" (require (negb (infinite_ratio at_bound))
        "a finite level is expected") in
      let! _ := inside "bound" (require (at_most budget at_bound) "it is below epsilon") in
      let ratio := (fst (low at_bound) * snd (high budget), snd (low at_bound) * fst (high budget))
        in
      let left := if at_most at_bound budget then zero else of_ratio ratio in
      let! _ := inside "bound" (require ((0 <? fst ratio) && (0 <? snd ratio) && loss_at_most M
        at_bound left)
        "the leakage after it is not proved to be as small") in
      let! (a, decimals) := inside "level" (read_level bits level) in
      let! _ := inside "level" (require (at_most at_bound decimals) "it is below the bound") in
      Done (Bounded (given M) e b a)
  | _ => Rejected "" "other fields are expected"
  end.

Definition check_bounded_below (l : list json) : result claim :=
  match l with
  | [d; table; epsilon; two; columns; bound; level] =>
      let! (bits, M, (e, budget)) := read_question d table "epsilon" epsilon in
      let! qd := read_sums M two columns in
      let! (b, at_bound) := inside "bound" (read_level bits bound) in
      let! _ := inside "bound" (require (negb (infinite_ratio at_bound))
        "a finite level is expected") in
      let! _ := inside "epsilon" (require ((snd (low budget) <? fst (low budget)) || at_most
        at_bound zero) "it is not positive") in
      let! _ := inside "bound" (require (at_most at_bound (plus budget (value_at M qd at_bound)))
        "the leakage after it is not proved to be as great") in
      let! (a, decimals) := inside "level" (read_level bits level) in
      let! _ := inside "level" (require (at_most decimals at_bound) "it is above the bound") in
      Done (Bounded_below (given M) e b a)
  | _ => Rejected "" "other fields are expected"
  end.

Definition check_divergent (l : list json) : result claim :=
  match l with
  | [d; table; epsilon; two; columns] =>
      let! (bits, M, (e, budget)) := read_question d table "epsilon" epsilon in
      let! (q, d) := read_sums M two columns in
      let (a, b) := low budget in
      let! _ := inside "epsilon" (require (b <? a) "it is not positive") in
      let! _ := inside "subset" (require (d =? 0) "the sum of d over the columns is not 0") in
      let! _ := inside "subset" (require (common M * b <=? q * a)
        "q e^epsilon is not proved to be 1 or more") in
      Done (Divergent (given M) e)
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

Ltac step H :=
  match type of H with
  | bind _ _ = Done _ => let a := fresh "a" in let E := fresh "E" in apply bind_done in H;
    destruct H as [a [E H]]; step H
  | (let (_, _) := ?p in _) = Done _ => destruct p eqn:?; step H
  | _ => idtac
  end.
Ltac clean :=
  repeat match goal with
  | E : inside _ _ = Done _ |- _ => apply inside_done in E
  | E : require _ _ = Done _ |- _ => apply require_done in E
  | E : read_level _ _ = Done (_, _) |- _ => apply read_level_sound in E; destruct E
  | E : read_matrix _ = Done _ |- _ => apply read_matrix_sound in E; destruct E
  end.

Lemma read_question_sound digit table name level bits M l e : read_question digit table name level
  = Done (bits, M, (l, e)) ->
  (well_formed (List.length (given M)) M /\ (0 < List.length (given M))%nat) /\
    encloses e (of_level l) /\ nonneg (of_level l).
Proof. unfold read_question. intros H. step H. injection H as <- <- ->. clean. auto. Qed.

Lemma read_sums_sound M two columns qd : read_sums M two columns = Done qd -> exists chosen listed,
  sums M chosen listed = Done qd.
Proof. unfold read_sums. intros H. step H. clean. eauto. Qed.

Lemma read_bounds_sound bits j l1 l2 e1 e2 : read_bounds bits j = Done ((l1, l2), (e1, e2)) ->
  (encloses e1 (of_level l1) /\ nonneg (of_level l1)) /\ encloses e2 (of_level l2) /\
    nonneg (of_level l2).
Proof.
  unfold read_bounds. intros H. step H. destruct a as [|x [|y [|]]]; try discriminate. step H.
  injection H as -> -> -> ->. clean. auto.
Qed.

Lemma stands_for_nonneg l : all_nonneg (stands_for l).
Proof. intros x [H _]. assumption. Qed.

Lemma stands_for_reached l : nonneg (of_level l) -> reached (of_level l) (stands_for l).
Proof.
  intros H u Hu. unfold stands_for in Hu. destruct (of_level l) as [y|]; [apply Hu; auto|].
  specialize (Hu (Rabs u + 1)). pose proof (Rle_abs u). pose proof (Rabs_pos u).
  assert (Rabs u + 1 <= u) by (apply Hu; split; [lra|exact I]). lra.
Qed.

Lemma stands_for_below l : nothing_above (of_level l) (stands_for l).
Proof. unfold nothing_above, stands_for. destruct (of_level l); [|exact I]. intros x [_ ->]. lra.
  Qed.

Lemma nothing_above_more v w X : nothing_above v X -> no_more v w -> nothing_above w X.
Proof.
  unfold nothing_above. destruct v as [x|], w as [y|]; simpl; auto; [|contradiction].
  intros H Hxy z Hz. specialize (H z Hz). lra.
Qed.

(** What the comparisons of levels have proved. *)
Ltac compare :=
  repeat match goal with
  | E : at_most ?a ?b = true, Ha : encloses ?a ?v, Hb : encloses ?b ?w |- _ =>
      let H := fresh "Hle" in pose proof (at_most_sound a b v w Ha Hb E) as H; clear E
  end.
Ltac read_bounds_of :=
  repeat match goal with E : read_bounds _ _ = Done _ |- _ =>
    apply read_bounds_sound in E; destruct E as [[? ?] [? ?]] end.
Ltac open_pairs := repeat match goal with x : (_ * _)%type |- _ => destruct x end.
Ltac matrix_of HM Hn :=
  match goal with E : read_question _ _ _ _ = Done (_, ?m, (_, _)) |- _ =>
    rename m into M; apply read_question_sound in E; destruct E as [[HM Hn] [? ?]] end.
Ltac sums_of := match goal with E : read_sums _ _ _ = Done _ |- _ => apply read_sums_sound in E;
  destruct E as [chosen [listed ?]] end.

Lemma check_loss_sound l c : check_loss l = Done c -> holds c.
Proof.
  unfold check_loss. intros H. do 7 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean. read_bounds_of. matrix_of HM Hn. sums_of.
  split; [apply well_formed_stochastic; assumption|].
  match goal with E : sums ?M ?r ?S = Done ?qd |- context [stands_for ?w] =>
    match goal with He : encloses ?e (of_level w) |- _ =>
      destruct (value_at_sound M r S qd (of_level w) e (stands_for w) HM Hn E) as [v [Hv Hr]];
        auto using stands_for_nonneg, stands_for_reached
    end
  end.
  match goal with E : loss_at_most ?M ?e ?hi = true, He : encloses ?e (of_level ?w), Hh :
    encloses ?hi ?h |- _ =>
    pose proof (loss_at_most_sound M (of_level w) h e hi (stands_for w) HM He Hh (stands_for_nonneg
      w) (stands_for_below w) E)
  end.
  compare. repeat split; simpl; eauto using reached_less, nothing_above_more.
Qed.

Lemma bounded_step P e v a b c d : (0 < b)%Z -> (0 < d)%Z -> (0 < a)%Z -> (0 < c)%Z ->
  IZR a <= exp v * IZR b -> exp e * IZR d <= IZR c -> P <= ln (IZR (a * d) / IZR (b * c)) ->
    P + e <= v.
Proof.
  intros Hb Hd Ha Hc H1 H2 H. apply IZR_lt in Hb, Hd, Ha, Hc. rewrite !mult_IZR in H.
  assert (Hq : 0 < IZR a * IZR d / (IZR b * IZR c)).
  { apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; assumption. }
  apply exp_le_inv. rewrite exp_plus. apply exp_le in H. rewrite exp_ln in H by assumption.
  pose proof (exp_pos e). pose proof (exp_pos v).
  apply Rle_trans with (IZR a * IZR d / (IZR b * IZR c) * exp e); [apply Rmult_le_compat_r; lra|].
  apply Rmult_le_reg_r with (IZR b * IZR c); [apply Rmult_lt_0_compat; assumption|].
  replace (IZR a * IZR d / (IZR b * IZR c) * exp e * (IZR b * IZR c))
    with (IZR a * (exp e * IZR d)) by (field; lra).
  apply Rle_trans with (exp v * IZR b * IZR c); [|right; ring].
  apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra.
Qed.

Lemma finite_ratio e l : encloses e (of_level l) -> negb (infinite_ratio e) = true -> exists u,
  of_level l = Some u.
Proof.
  intros [_ [_ [_ [_ H]]]] E. unfold infinite_ratio in E. destruct (of_level l) as [u|]; [eauto|].
  rewrite H in E. discriminate.
Qed.

Lemma bounded_claim M at_bound budget decimals b e a :
  let ratio := (fst (low at_bound) * snd (high budget), snd (low at_bound) * fst (high budget))%Z
    in
  well_formed (List.length (given M)) M -> stochastic (List.length (given M)) (of_matrix (given M))
    ->
  encloses at_bound (of_level b) -> nonneg (of_level b) -> encloses budget (of_level e) ->
    nonneg (of_level e) ->
  encloses decimals (of_level a) -> negb (infinite_ratio at_bound) = true ->
    at_most budget at_bound = true ->
  (0 < fst ratio)%Z -> (0 < snd ratio)%Z ->
  loss_at_most M at_bound (if at_most at_bound budget then zero else of_ratio ratio) = true ->
  at_most at_bound decimals = true -> holds (Bounded (given M) e b a).
Proof.
  intros ratio HM HP Hb Hb0 He He0 Ha Hfinite Hle Hnum Hden Hloss Hdec. unfold ratio in *.
    cbn [fst snd] in *.
  destruct (finite_ratio _ _ Hb Hfinite) as [u Eu].
  pose proof (at_most_sound _ _ _ _ He Hb Hle) as Heb.
    pose proof (at_most_sound _ _ _ _ Hb Ha Hdec) as Hba.
  enough (Hall : nothing_above (of_level b) (levels (given M) e)).
  { split; [assumption|]. split; [assumption|]. eapply nothing_above_more; eassumption. }
  rewrite Eu in *. destruct (of_level e) as [x|] eqn:Ex; [|contradiction]. simpl in Heb, Hb0, He0.
  intros y [x' [t [Hx' ->]]]. unfold stands_for in Hx'. rewrite Ex in Hx'. destruct Hx' as [_ ->].
  revert t. apply level_bound; try assumption.
  assert (HL : forall w, nothing_above w (losses (given M) (fun y => y = u)) ->
            match w with Some z => loss (List.length (given M)) (of_matrix (given M)) u <= z | None
              => True end).
  { intros [z|] Hz; [|exact I]. apply Hz. exists u. auto. }
  assert (Hset : all_nonneg (fun y => y = u)) by (intros y ->; assumption).
  assert (Htop : nothing_above (Some u) (fun y => y = u)) by (intros y ->; lra).
  destruct (at_most at_bound budget) eqn:Eback.
  - pose proof (at_most_sound _ _ _ _ Hb He Eback) as Hge. simpl in Hge.
    specialize (HL (Some 0) (loss_at_most_sound M (Some u) (Some 0) at_bound zero _ HM Hb
      zero_sound Hset Htop Hloss)).
    simpl in HL. lra.
  - pose proof (of_ratio_sound (fst (low at_bound) * snd (high budget), snd (low at_bound) * fst
    (high budget))%Z
      ltac:(simpl; lia) ltac:(simpl; lia)) as Hr.
    specialize (HL _ (loss_at_most_sound M (Some u) _ at_bound _ _ HM Hb Hr Hset Htop Hloss)).
    unfold log_of in HL. cbn [fst snd] in HL.
      destruct (Z.eqb_spec (snd (low at_bound) * fst (high budget)) 0); [lia|].
    destruct Hb as [_ [[B1 [B2 B]] _]]. destruct He as [_ [_ [O1 [O2 O]]]]. simpl in B, O.
    apply (bounded_step _ x u (fst (low at_bound)) (snd (low at_bound)) (fst (high budget))
      (snd (high budget))); auto; nia.
Qed.

Lemma check_bounded_sound l c : check_bounded l = Done c -> holds c.
Proof.
  unfold check_bounded. intros H. do 5 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean. matrix_of HM Hn.
  pose proof (well_formed_stochastic _ HM) as HP.
  match goal with E : _ && _ && _ = true |- _ =>
    apply andb_prop in E; destruct E as [E Hloss]; apply andb_prop in E;
      destruct E as [Hnum Hden] end.
  cbn [fst snd] in Hnum, Hden. apply Z.ltb_lt in Hnum, Hden.
  match goal with
  | E : negb (infinite_ratio ?b) = true, Hb : encloses ?b (of_level ?l), Hb0 :
    nonneg (of_level ?l),
    He : encloses ?e (of_level ?le), E1 : at_most ?e ?b = true, E2 : at_most ?b ?d = true, Hd :
      encloses ?d (of_level ?ld) |- _ =>
      apply (bounded_claim M b e d l le ld); try assumption
  end.
Qed.

Lemma start_level n P e : level n P e 0 = e.
Proof. reflexivity. Qed.

Lemma above_one e x : encloses e (Some x) -> (snd (low e) < fst (low e))%Z -> 0 < x.
Proof.
  intros [_ [[H1 [H2 H3]] _]] H. apply IZR_lt in H. apply IZR_le in H2. simpl in H3.
  destruct (Rlt_dec 0 x) as [?|N]; [assumption|exfalso].
  assert (exp x <= 1) by (rewrite <- exp_0; apply exp_le; lra).
  assert (exp x * IZR (snd (low e)) <= 1 * IZR (snd (low e))) by (apply Rmult_le_compat_r; lra).
    lra.
Qed.

Lemma bounded_below_claim M two columns qd at_bound budget decimals b e a :
  well_formed (List.length (given M)) M -> (0 < List.length (given M))%nat ->
  stochastic (List.length (given M)) (of_matrix (given M)) -> sums M two columns = Done qd ->
  encloses at_bound (of_level b) -> nonneg (of_level b) -> encloses budget (of_level e) ->
    nonneg (of_level e) ->
  encloses decimals (of_level a) -> negb (infinite_ratio at_bound) = true ->
  ((snd (low budget) <? fst (low budget))%Z || at_most at_bound zero) = true ->
  at_most at_bound (plus budget (value_at M qd at_bound)) = true -> at_most decimals at_bound =
    true ->
  holds (Bounded_below (given M) e b a).
Proof.
  intros HM Hn HP Hs Hb Hb0 He He0 Ha Hfinite Hpos Hstep Hdec.
  destruct (finite_ratio _ _ Hb Hfinite) as [v Ev]. rewrite Ev in *. simpl in Hb0.
  pose proof (at_most_sound _ _ _ _ Ha Hb Hdec) as Hab.
  enough (Hall : reached (Some v) (levels (given M) e)).
  { split; [assumption|]. rewrite Ev. split; [assumption|]. eapply reached_less; eassumption. }
  destruct (value_at_sound M two columns qd (Some v) at_bound (fun y => y = v) HM Hn Hs Hb)
    as [w [Hw Hr]].
  { intros y ->. assumption. } { intros u Hu. apply Hu. reflexivity. }
  pose proof (at_most_sound _ _ _ _ Hb (plus_sound _ _ _ _ He Hw) Hstep) as Hle.
  set (n := List.length (given M)) in *. set (P := of_matrix (given M)) in *.
  intros u Hu. destruct (of_level e) as [x|] eqn:Ex.
  - assert (Hu' : forall t, level n P x t <= u).
    { intros t. apply Hu. exists x, t. unfold stands_for. rewrite Ex. auto. }
    apply orb_prop in Hpos. destruct Hpos as [Hpos|Hzero].
    + apply Z.ltb_lt in Hpos. pose proof (above_one budget x He Hpos) as Hx.
      assert (Hloss : forall y, losses (given M) (fun y => y = v) y -> y <= loss n P v)
        by (intros y [y' [-> ->]]; fold n P; lra).
      specialize (Hr (loss n P v) Hloss). destruct w as [z|]; [|contradiction]. simpl in Hle.
      destruct (gain_attained n P (exp v) Hn) as [j [k [S [Hj [Hk E]]]]].
      rewrite <- (ln_exp v). apply (bounded_below_rule n P x (exp v) j k S); auto;
        [apply exp_ratio; assumption|].
      rewrite <- E, <- exp_loss, <- exp_plus. apply exp_le. lra.
    + pose proof (at_most_sound _ _ _ _ Hb zero_sound Hzero) as Hv. simpl in Hv.
      specialize (Hu' 0%nat). rewrite start_level in Hu'. simpl in He0. lra.
  - assert (v <= u); [|assumption]. apply Hu. exists v, 0%nat. unfold stands_for.
    rewrite Ex, start_level. auto.
Qed.

Lemma check_bounded_below_sound l c : check_bounded_below l = Done c -> holds c.
Proof.
  unfold check_bounded_below. intros H. do 7 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean. matrix_of HM Hn. sums_of.
    pose proof (well_formed_stochastic _ HM) as HP.
  match goal with
  | Es : sums ?M ?r ?S = Done ?qd, E : negb (infinite_ratio ?b) = true, Hb :
    encloses ?b (of_level ?l),
    E1 : at_most ?b (plus ?e _) = true, He : encloses ?e (of_level ?le),
    E2 : at_most ?d ?b = true, Hd : encloses ?d (of_level ?ld) |- _ =>
      apply (bounded_below_claim M r S qd b e d l le ld); assumption
  end.
Qed.

Lemma divergent_claim M two columns q d a b budget e :
  well_formed (List.length (given M)) M -> (0 < List.length (given M))%nat ->
  stochastic (List.length (given M)) (of_matrix (given M)) -> sums M two columns = Done (q, d) ->
  encloses budget (of_level e) -> low budget = (a, b) -> (b < a)%Z -> d = 0%Z ->
    (common M * b <= q * a)%Z ->
  holds (Divergent (given M) e).
Proof.
  intros HM Hn HP Hs He Elow Hab Hd Hq. split; [assumption|]. intros u Hu.
  destruct (sums_sound _ M two columns q d HM Hn Hs) as [_ [j [k [S [Hj [Hk [Eq Ed]]]]]]].
  pose proof (proj1 HM) as Hc. apply IZR_lt in Hc. destruct (of_level e) as [x|] eqn:Ex.
  - assert (Hx : 0 < x) by (apply (above_one budget x He); rewrite Elow; assumption).
    destruct (divergent_rule (List.length (given M)) (of_matrix (given M)) x HP Hx) with (v := u)
      as [t Ht].
    + exists j, k, S. split; [assumption|]. split; [assumption|]. split.
      * subst d. symmetry in Ed. apply Rmult_integral in Ed. destruct Ed; lra.
      * destruct He as [_ [[_ [Hb Hlow]] _]]. rewrite Elow in *. simpl in *.
        apply IZR_le in Hq, Hb. apply IZR_lt in Hab.
        rewrite !mult_IZR, Eq in Hq. assert (Hb1 : 0 < IZR b).
        { destruct Hb as [?|Eb]; [assumption|]. rewrite <- Eb in *. lra. }
        apply Rmult_le_reg_l with (IZR (common M) * IZR b); [apply Rmult_lt_0_compat; assumption|].
        rewrite Rmult_1_r. eapply Rle_trans; [exact Hq|].
        assert (0 <= sum_on (List.length (given M)) S (of_matrix (given M) j))
          by (apply sum_on_bounds; apply HP; assumption).
        replace (IZR (common M) * IZR b * (sum_on (List.length (given M)) S (of_matrix (given M) j)
          * exp x))
          with (IZR (common M) * sum_on (List.length (given M)) S (of_matrix (given M) j) *
            (exp x * IZR b)) by ring.
        apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption].
    + assert (level (List.length (given M)) (of_matrix (given M)) x t <= u); [|lra].
      apply Hu. exists x, t. unfold stands_for. rewrite Ex. repeat split; lra.
  - assert (Rabs u + 1 <= u).
    { apply Hu. exists (Rabs u + 1), 0%nat. unfold stands_for. rewrite Ex, start_level.
      pose proof (Rabs_pos u).
      repeat split; lra. }
    pose proof (Rle_abs u). lra.
Qed.

Lemma check_divergent_sound l c : check_divergent l = Done c -> holds c.
Proof.
  unfold check_divergent. intros H. do 5 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean. matrix_of HM Hn. sums_of.
    pose proof (well_formed_stochastic _ HM) as HP.
  match goal with
  | E1 : (_ <? _)%Z = true, E2 : (_ =? 0)%Z = true, E3 : (_ <=? _)%Z = true |- _ =>
      apply Z.ltb_lt in E1; apply Z.eqb_eq in E2; apply Z.leb_le in E3
  end.
  eapply divergent_claim; eassumption.
Qed.
