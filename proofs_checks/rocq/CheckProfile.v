(** The verified checker on the profile of (eps, delta)-private releases: for every two values the
    recursion on functions that are linear between points, every value rounded upward. *)

From TPL Require Export CheckPoints CheckLower.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** The recursion: at each point of a release an integer for each value, in units *)

Fixpoint told_at_the_end (n : nat) (M : distributions) (layers : list layer) (told :
  list (list Z)) : list (list Z) :=
  match layers with
  | [] => told
  | (_, ws) :: rest =>
      let f := map (greatest_within told) ws in
      told_at_the_end n M rest (match rest with [] => f | _ => map (stepped n M) f end)
  end.

(** P_ja phi(u) - A P_ka u, in units, A = odds/unit. *)
Definition told_first (unit odds c : Z) (f u : rational) : list Z -> list Z -> list Z :=
  pairwise (fun q d => divide true
    (q * fst f * Zpos (snd u) * unit - odds * d * fst u * Zpos (snd f))
    (Zpos (snd f) * Zpos (snd u) * c)).
Definition pair_holds (n : nat) (unit odds : Z) (M : distributions) (r c most : rational)
  (ps : list rational) (layers : list layer) (j k : nat) : bool :=
  match layers with
  | [] =>
      forallb (fun u => at_most_r (sub_r (phi_r r c u) (mul_r (odds, Z.to_pos unit) u)) most) ps
  | _ =>
      let told := map (fun u => told_first unit odds (common M) (phi_r r c u) u
        (nth j (units M) []) (nth k (units M) [])) ps in
      forallb (fun z => added z * Zpos (snd most) <=? fst most * unit)
        (told_at_the_end n M layers told)
  end.

Definition causal := "releases up to the time read no later values, " ++
  "or for a forward matrix those from it on no earlier ones".
Definition most_profiled := 1000.

(** What both kinds begin with: bits, the matrix, the budget, delta of each release, how many of
    them there are. *)
Definition read_releases (digit table epsilon own releases : json)
  : result (Z * distributions * (written_level * enclosure) * rational * nat) :=
  let! (bits, M, (e, budget)) := read_question digit table "epsilon" epsilon in
  let! _ := inside "epsilon" (require (negb (infinite_ratio budget)) "a finite level is expected")
    in
  let! c := inside "delta_per_release" (number own) in
  let! _ := inside "delta_per_release" (require ((0 <=? fst c) && at_most_r c whole)
    "it is above 1") in
  let! count := inside "releases" (integer_within 1 most_profiled "releases" releases) in
  Done (bits, M, (e, budget), c, Z.to_nat count).

Definition check_profile_upper (l : list json) : result claim :=
  match l with
  | [d; assumed; table; epsilon; own; releases; alpha; delta] =>
      let! _ := inside "assumed" (assumes [every_step; causal] assumed) in
      let! (bits, M, (e, budget), c, count) := read_releases d table epsilon own releases in
      let! (a, at_alpha) := inside "alpha" (read_level bits alpha) in
      let! _ := inside "alpha" (require (negb (infinite_ratio at_alpha))
        "a finite level is expected") in
      let! most := inside "delta" (number delta) in
      let n := List.length (given M) in
      let unit := two_to bits in
      let r := lowest (on_grid unit budget, Z.to_pos unit) in
      let ps := bends r c in
      let layers := layers_from r c (count - 1) ps in
      let! _ := inside "delta" (require ((0 <? fst r) && points_hold r c ps &&
        Nat.eqb (List.length layers) (count - 1) && layers_hold r c ps layers &&
        forallb (fun j => forallb (fun k => Nat.eqb j k ||
          pair_holds n unit (grid_below unit at_alpha) M r c most ps layers j k) (seq 0 n))
          (seq 0 n)) "some stream is not proved to have no more at alpha") in
      Done (Profile_upper (given M) e c count a most)
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma recursion_sound n unit eps r c M P most layers :
  n = List.length (given M) -> (0 < n)%nat ->
  well_formed n M -> (0 < unit)%Z -> (0 < fst r)%Z -> (0 <= fst c)%Z ->
  exp eps <= of_rational r -> layers <> [] -> forall ps told F,
  layers_hold r c ps layers = true -> points_good eps r c ps -> told_above n unit ps told F ->
  (forall s a b, (S s < List.length layers)%nat -> (a < n)%nat -> (b < n)%nat ->
    P s a b = of_matrix (given M) a b) ->
  forallb (fun z => added z * Zpos (snd most) <=? fst most * unit)%Z
    (told_at_the_end n M layers told) = true ->
  recursion_at_most n P (fun _ => approximate eps (of_rational c)) (List.length layers - 1) F
    (of_rational most).
Proof.
  intros En Hn HM Hu Hr Hc He. apply IZR_lt in Hu as HU.
  induction layers as [|[us ws] rest IH]; intros Hne ps told F Hl Hps Ht HP Hend;
    [contradiction Hne; reflexivity|]. clear Hne.
  cbn [layers_hold fst] in Hl. apply andb_prop in Hl. destruct Hl as [Hl Hrest].
  destruct (layer_sound n unit eps r c ps us ws told F Hr Hc He Hps Hl Ht) as [Gus [Vv HV]].
  specialize (Vv Hn). set (V := map (greatest_within told) ws) in *.
  pose proof (proj1 Gus) as Hm. set (m := (List.length us - 1)%nat) in *.
  assert (Em : m = (List.length us - 1)%nat) by reflexivity.
  set (f := fun a u => through m (point us) (of_value V a) u / IZR unit).
  assert (Hat : forall a k s, (k < m)%nat -> 0 <= s <= 1 ->
    f a (part_way s (point us k) (point us (S k))) =
    part_way s (of_value V a k) (of_value V a (S k)) / IZR unit).
  { intros a k s Hk Hs. unfold f. rewrite through_at; auto. apply Gus. }
  assert (Hf : forall a u w, (a < n)%nat -> 0 <= u <= w -> w <= 1 ->
    w <= approximate eps (of_rational c) u -> F a w <= f a u).
  { intros a u w Ha Huw Hw Hphi.
    destruct (some_part eps r c us u Gus ltac:(lra)) as [e [t [Hlt [Ht01 ->]]]].
    rewrite Hat by assumption. apply Rmult_le_reg_r with (IZR unit); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply HV; auto. apply Huw. }
  cbn [List.length Nat.sub]. rewrite Nat.sub_0_r.
  cbn [told_at_the_end] in Hend. fold V in Hend. destruct rest as [|second rest].
  - cbn [List.length recursion_at_most]. exists f. split; [exact Hf|]. intros u Hu01.
    destruct (some_part eps r c us u Gus Hu01) as [e [t [Hlt [Ht01 ->]]]].
    rewrite (sum_ext n _ (fun a => part_way t (of_value V a e / IZR unit)
      (of_value V a (S e) / IZR unit)))
      by (intros a _; rewrite Hat by assumption; unfold part_way, Rdiv; ring).
    unfold part_way. rewrite sum_plus, !sum_scale.
    assert (Hsum : forall k, (k <= m)%nat -> sum n (fun a => of_value V a k / IZR unit) <=
      of_rational most).
    { intros k Hk. cbn [told_at_the_end] in Hend. rewrite forallb_forall in Hend.
      destruct Vv as [LV Vv]. assert (Hk' : (k < List.length us)%nat) by lia.
      specialize (Hend (nth k V []) (nth_In (n := k) V [] ltac:(lia))).
      apply Z.leb_le, IZR_le in Hend.
      rewrite !mult_IZR in Hend. unfold added in Hend.
      rewrite added_spec, (Vv k Hk'), Rplus_0_l in Hend. unfold Rdiv. rewrite sum_scale_r.
      pose proof (IZR_pos (snd most)) as Hd. unfold of_rational.
      apply Rmult_le_reg_r with (IZR unit * IZR (Zpos (snd most)));
        [apply Rmult_lt_0_compat; assumption|].
      unfold of_value. set (total := sum n _) in *.
      replace (total * / IZR unit * (IZR unit * IZR (Zpos (snd most))))
        with (total * IZR (Zpos (snd most))) by (field; lra).
      replace (IZR (fst most) / IZR (Zpos (snd most)) * (IZR unit * IZR (Zpos (snd most))))
        with (IZR (fst most) * IZR unit) by (field; lra). assumption. }
    apply (part_way_max t); [assumption| |]; apply Hsum; lia.
  - cbn [List.length]. cbn [recursion_at_most]. exists f. split; [exact Hf|].
    replace (List.length rest) with (List.length (second :: rest) - 1)%nat by (cbn; lia).
    apply (IH ltac:(discriminate) us (map (stepped n M) V)); [assumption|assumption| |
      intros s a b Hs; apply HP; cbn [List.length] in *; lia|assumption].
    assert (EW : forall k, (k < List.length us)%nat ->
      nth k (map (stepped n M) V) [] = stepped n M (nth k V [])).
    { intros k Hk. rewrite (nth_indep _ [] (stepped n M [])) by (rewrite map_length;
        destruct Vv; lia). apply map_nth. }
    assert (HW : forall k, (k < List.length us)%nat ->
      above n unit (back n (of_matrix (given M)) (fun a => of_value V a k / IZR unit))
        (nth k (map (stepped n M) V) [])).
    { intros k Hk. rewrite EW by assumption. rewrite En in HM |- *. apply stepped_sound; auto.
      destruct Vv as [_ Vv]. rewrite <- En. split; [auto|]. intros a Ha. unfold of_value, Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra. }
    split.
    + split; [rewrite map_length; apply Vv|]. intros k Hk. apply (HW k Hk).
    + intros b Hb k s Hk Hs. pose proof (proj2 (HW k ltac:(lia)) b Hb) as W1.
      pose proof (proj2 (HW (S k) ltac:(lia)) b Hb) as W2.
      eapply Rle_trans; [|apply part_way_mono; [exact Hs|exact W1|exact W2]]. right.
      unfold back.
      rewrite (sum_ext n _ (fun a => (1 - s) * (of_matrix (given M) a b * (of_value V a k / IZR
        unit)) + s * (of_matrix (given M) a b * (of_value V a (S k) / IZR unit)))).
      * unfold part_way. rewrite sum_plus, !sum_scale. ring.
      * intros a Ha. cbv beta. rewrite (Hat a k s Hk Hs), HP by (cbn [List.length]; auto; lia).
        unfold part_way, Rdiv. ring.
Qed.

(** ** All pairs of values *)

Lemma told_first_sound n unit odds M f u j k a : well_formed n M -> (0 < unit)%Z ->
  (j < List.length (given M))%nat -> (k < List.length (given M))%nat -> (a < n)%nat ->
  let z := told_first unit odds (common M) f u (nth j (units M) []) (nth k (units M) []) in
  List.length z = n /\
  of_matrix (given M) j a * of_rational f * IZR unit -
    IZR odds * (of_matrix (given M) k a * of_rational u) <= IZR (nth a z 0%Z).
Proof.
  intros [Hc [El Hall]] Hu Hj Hk Ha. destruct (Hall j Hj) as [Lj [_ Uj]].
  destruct (Hall k Hk) as [Lk [_ Uk]]. unfold units_of in Uj, Uk. unfold told_first.
  set (g := fun q d : Z => divide true (q * fst f * Zpos (snd u) * unit - odds * d * fst u * Zpos
    (snd f)) (Zpos (snd f) * Zpos (snd u) * common M)).
  destruct (pairwise_nth g (nth j (units M) []) (nth k (units M) []) a ltac:(congruence)
    ltac:(lia)) as [L E]. split; [congruence|]. rewrite E. unfold g.
  set (q := nth a (nth j (units M) []) 0%Z) in *. set (d := nth a (nth k (units M) []) 0%Z) in *.
  pose proof (divide_up (q * fst f * Zpos (snd u) * unit - odds * d * fst u * Zpos (snd f))
    (Zpos (snd f) * Zpos (snd u) * common M) ltac:(lia)) as Hd.
  specialize (Uj a). specialize (Uk a). fold q in Uj. fold d in Uk.
  rewrite minus_IZR, !mult_IZR, Uj, Uk in Hd. apply IZR_lt in Hc.
  pose proof (IZR_pos (snd f)) as Pf. pose proof (IZR_pos (snd u)) as Pu. unfold of_rational.
  set (F := IZR (Zpos (snd f))) in *. set (W := IZR (Zpos (snd u))) in *.
  set (C := IZR (common M)) in *. set (z := IZR (divide true _ _)) in *.
  assert (Hden : 0 < F * W * C)
    by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption).
  apply Rmult_le_reg_r with (F * W * C); [assumption|]. eapply Rle_trans; [|exact Hd]. right.
  field. lra.
Qed.

Lemma pair_sound n unit odds M r c most ps layers j k eps A P : n = List.length (given M) ->
  well_formed n M -> (0 < unit)%Z -> (0 < fst r)%Z -> (0 <= fst c)%Z ->
  exp eps <= of_rational r -> IZR odds <= A * IZR unit -> points_good eps r c ps ->
  layers_hold r c ps layers = true -> (j < n)%nat -> (k < n)%nat ->
  pair_holds n unit odds M r c most ps layers j k = true ->
  (forall s a b, (s < List.length layers)%nat -> (a < n)%nat -> (b < n)%nat ->
    P s a b = of_matrix (given M) a b) ->
  profile_at_most n P (fun _ => approximate eps (of_rational c)) (List.length layers) j k A
    (of_rational most).
Proof.
  intros En HM Hu Hr Hc He Ho Gps Hl Hj Hk H HP. apply IZR_lt in Hu as HU.
  assert (Hfirst : forall e t, (e < List.length ps - 1)%nat -> 0 <= t <= 1 ->
    0 <= part_way t (point ps e) (point ps (S e))).
  { intros e t Hlt Ht. destruct Gps as [_ [Hrise [H0 _]]].
    pose proof (rising_le _ _ 0 e Hrise ltac:(lia)).
    pose proof (part_way_between t _ _ Ht (Rlt_le _ _ (Hrise e Hlt))). lra. }
  destruct layers as [|one rest].
  - cbn [List.length profile_at_most pair_holds] in *. intros u Hu01.
    rewrite forallb_forall in H.
    destruct (some_part eps r c ps u Gps Hu01) as [e [t [Hlt [Ht ->]]]].
    pose proof (proj2 (proj2 (proj2 (proj2 Gps))) e t Hlt Ht) as Hphi.
    assert (Hat : forall i, (i < List.length ps)%nat ->
      of_rational (phi_r r c (nth i ps nought)) - IZR odds / IZR unit * point ps i <=
      of_rational most).
    { intros i Hi. specialize (H _ (nth_In ps nought Hi)). apply at_most_r_iff in H.
      rewrite sub_r_spec, mul_r_spec in H. unfold of_rational at 2 in H. cbn [fst snd] in H.
      rewrite Z2Pos.id in H by assumption. exact H. }
    pose proof (Hat e ltac:(lia)) as H1. pose proof (Hat (S e) ltac:(lia)) as H2.
    assert (Hodds : IZR odds / IZR unit <= A).
    { apply Rmult_le_reg_r with (IZR unit); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra. }
    set (o := IZR odds / IZR unit) in *. specialize (Hfirst e t Hlt Ht).
    eapply Rle_trans; [apply Rplus_le_compat; [exact Hphi|apply Ropp_le_contravar,
      (Rmult_le_compat_r _ o A Hfirst Hodds)]|].
    eapply Rle_trans; [|exact (part_way_max t _ _ _ Ht H1 H2)]. right. unfold part_way. ring.
  - cbn [List.length profile_at_most]. cbn [pair_holds] in H.
    replace (List.length rest) with (List.length (one :: rest) - 1)%nat by (cbn; lia).
    set (s := (List.length (one :: rest) - 1)%nat).
    set (told := map _ ps) in H.
    apply (recursion_sound n unit eps r c M P most (one :: rest) En ltac:(lia) HM Hu Hr Hc He
      ltac:(discriminate) ps told); auto; [|intros; apply HP; auto; lia].
    set (g := fun u => told_first unit odds (common M) (phi_r r c u) u (nth j (units M) [])
      (nth k (units M) [])) in *.
    assert (Et : forall i, (i < List.length ps)%nat -> nth i told [] = g (nth i ps nought)).
    { intros i Hi. unfold told. rewrite (nth_indep _ [] (g nought)) by (rewrite map_length; lia).
      apply map_nth. }
    assert (Htold : forall i a, (i < List.length ps)%nat -> (a < n)%nat ->
      List.length (nth i told []) = n /\
      of_matrix (given M) j a * of_rational (phi_r r c (nth i ps nought)) * IZR unit -
      IZR odds * (of_matrix (given M) k a * point ps i) <= of_value told a i).
    { intros i a Hi Ha. unfold of_value. rewrite Et by assumption.
      apply told_first_sound; auto; lia. }
    split.
    + split; [unfold told; apply map_length|]. intros i Hi. apply (Htold i j Hi Hj).
    + intros a Ha e t Hlt Ht. cbv beta.
      destruct (Htold e a ltac:(lia) Ha) as [_ H1].
      destruct (Htold (S e) a ltac:(lia) Ha) as [_ H2].
      eapply Rle_trans; [|apply part_way_mono; [exact Ht|exact H1|exact H2]].
      pose proof (proj2 (proj2 (proj2 (proj2 Gps))) e t Hlt Ht) as Hphi.
      specialize (Hfirst e t Hlt Ht).
      rewrite !HP by (auto; unfold s; cbn [List.length]; lia).
      destruct HM as [_ [_ Hall]].
      assert (Pj : 0 <= of_matrix (given M) j a) by (apply Hall; [lia|assumption]).
      assert (Pk : 0 <= of_matrix (given M) k a) by (apply Hall; [lia|assumption]).
      set (u := part_way t (point ps e) (point ps (S e))) in *.
      set (y := part_way t (of_rational _) (of_rational _)) in *.
      apply Rle_trans with (of_matrix (given M) j a * y * IZR unit -
        IZR odds * (of_matrix (given M) k a * u)); [|right; unfold y, u, part_way; ring].
      rewrite Rmult_minus_distr_r. apply Rplus_le_compat.
      * apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; assumption.
      * apply Ropp_le_contravar.
        replace (A * of_matrix (given M) k a * u * IZR unit)
          with (A * IZR unit * (of_matrix (given M) k a * u)) by ring.
        apply Rmult_le_compat_r; [apply Rmult_le_pos; assumption|assumption].
Qed.

(** ** profile-upper *)

Lemma read_releases_sound digit table epsilon own releases bits M e budget c count :
  read_releases digit table epsilon own releases = Done (bits, M, (e, budget), c, count) ->
  well_formed (List.length (given M)) M /\ (0 < List.length (given M))%nat /\
  encloses budget (of_level e) /\ infinite_ratio budget = false /\ (0 <= fst c)%Z /\
  (0 < count)%nat /\ at_most_r c whole = true.
Proof.
  unfold read_releases. intros H. step H. open_pairs. injection H as <- <- <- <- <- <-. clean.
  match goal with E : read_question _ _ _ _ = Done (_, _, (_, _)) |- _ =>
    apply read_question_sound in E; destruct E as [[HM Hn] [? ?]] end.
  match goal with E : negb _ = true |- _ => apply negb_true_iff in E end.
  match goal with E : _ && at_most_r _ _ = true |- _ => apply andb_prop in E;
    destruct E as [E Hmost]; apply Z.leb_le in E end.
  match goal with E : integer_within _ _ _ _ = Done _ |- _ => rename E into Hcount end.
  do 5 (split; [assumption|]).
  unfold integer_within, integer in Hcount.
  repeat match type of Hcount with match ?x with _ => _ end = _ => destruct x eqn:?;
    try discriminate end.
  match goal with E : (_ && _)%bool = true |- _ => apply andb_prop in E; destruct E as [E _];
    apply Z.leb_le in E end. injection Hcount as <-. split; [lia|assumption].
Qed.

Lemma at_budget budget e x : encloses budget (of_level e) -> infinite_ratio budget = false ->
  stands_for e x -> encloses budget (Some x) /\ (0 < snd (high budget))%Z.
Proof.
  intros He Hf [_ Hx]. unfold infinite_ratio in Hf. apply Z.eqb_neq in Hf.
  pose proof He as [_ [_ [_ [H0 H1]]]]. destruct (of_level e) as [y|]; [subst y|contradiction].
  split; [assumption|lia].
Qed.

Lemma profile_upper_claim M bits budget eps own count at_alpha alpha most :
  let n := List.length (given M) in
  let unit := two_to bits in
  let r := lowest (on_grid unit budget, Z.to_pos unit) in
  let ps := bends r own in
  let layers := layers_from r own (count - 1) ps in
  well_formed n M -> (0 < n)%nat -> encloses budget (of_level eps) ->
  infinite_ratio budget = false -> (0 <= fst own)%Z -> (0 < count)%nat ->
  encloses at_alpha (of_level alpha) -> infinite_ratio at_alpha = false ->
  (0 < fst r)%Z -> points_hold r own ps = true -> List.length layers = (count - 1)%nat ->
  layers_hold r own ps layers = true ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k ->
    pair_holds n unit (grid_below unit at_alpha) M r own most ps layers j k = true) ->
  holds (Profile_upper (given M) eps own count alpha most).
Proof.
  intros n unit r ps layers HM Hn Hbudget Hfin Hown Hcount Halpha Hfinite Hr Hps Llayers Hl Hpairs.
  assert (Hu : (0 < unit)%Z) by apply two_to_positive. apply IZR_lt in Hu as HU.
  cbn [holds]. split; [assumption|].
  pose proof (well_formed_stochastic M HM) as HP. split; [exact HP|].
  intros e a m ch g j k He Ha Hg Hj Hk Hjk.
  destruct (at_budget budget eps e Hbudget Hfin He) as [Hbe Hpos].
  destruct (at_budget at_alpha alpha a Halpha Hfinite Ha) as [Hae _].
  assert (Hratio : exp e <= of_rational r).
  { unfold r. rewrite lowest_same. unfold of_rational. cbn [fst snd]. rewrite Z2Pos.id
      by assumption.
    apply Rmult_le_reg_r with (IZR unit); [assumption|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply on_grid_sound; assumption. }
  clearbody layers. clearbody ps. clearbody r.
  pose proof (points_hold_sound e r own ps Hr Hown Hratio Hps) as Gps.
  destruct (grid_below_sound unit at_alpha a Hu Hae) as [_ Hodds].
  assert (Hall : m = n -> forall P, (forall s x y, (s < List.length layers)%nat -> (x < n)%nat ->
    (y < n)%nat -> P s x y = of_matrix (given M) x y) ->
    profile_at_most n P (fun _ => approximate e (of_rational own)) (List.length layers) j k (exp a)
      (of_rational most)).
  { intros -> P HPs. apply (pair_sound n unit (grid_below unit at_alpha) M r own most ps layers);
      try assumption; [reflexivity|]. apply Hpairs; assumption. }
  rewrite Llayers in Hall.
  assert (Hset : private_set m (count - 1) (fun _ => approximate e (of_rational own)) g).
  { apply (approximate_private m (count - 1) (fun _ => e) (fun _ => of_rational own)).
    - intros l Hin. apply (Hg l 0%nat j Hin); [lia|assumption].
    - intros l s b Hin Hs Hb. apply (Hg l s b Hin Hs Hb). }
  unfold told_at, both_possible, correlated, values_in. cbn [at_step List.length].
  split; intros [Hvalid [HB HF]] [Pj Pk].
  - destruct HB as [HB|[-> [B [HB Hsame]]]]; [fold n in HB; lia|].
    apply (BPL_profile n ch B (fun _ => approximate e (of_rational own)));
      try assumption.
    apply Hall; [reflexivity|]. intros s x y Hs Hx Hy. apply Hsame; assumption.
  - destruct HF as [HF|[-> Hsame]]; [fold n in HF; lia|].
    apply (FPL_profile n ch (fun _ => approximate e (of_rational own)) (count - 1));
      try assumption.
    apply Hall; [reflexivity|]. intros s x y Hs Hx Hy. apply Hsame; [lia|assumption..].
Qed.

Lemma check_profile_upper_sound l c : check_profile_upper l = Done c -> holds c.
Proof.
  unfold check_profile_upper. intros H. do 8 (destruct l as [|? l]; [discriminate|]).
  destruct l; [|discriminate]. step H. open_pairs. injection H as <-. clean.
  match goal with E : read_releases _ _ _ _ _ = Done (?b, ?m, (?x, ?y), ?z, ?t) |- _ =>
    apply read_releases_sound in E; destruct E as [HM [Hn [Hbudget [Hfin [Hown [Hcount _]]]]]];
    rename b into bits, m into M, x into eps, y into budget, z into own, t into count end.
  match goal with E : encloses ?x (of_level ?y), F : negb (infinite_ratio ?x) = true |- _ =>
    rename x into at_alpha, y into alpha; rename E into Halpha; apply negb_true_iff in F;
    rename F into Hfinite end.
  match goal with E : (_ && _ && _ && _ && _)%bool = true |- _ =>
    apply andb_prop in E; destruct E as [E Hpairs]; apply andb_prop in E; destruct E as [E Hl];
    apply andb_prop in E; destruct E as [E Llayers]; apply andb_prop in E;
    destruct E as [Hr Hps] end.
  apply Z.ltb_lt in Hr. apply Nat.eqb_eq in Llayers.
  apply (profile_upper_claim M bits budget eps own count at_alpha alpha _ HM Hn Hbudget Hfin Hown
    Hcount Halpha Hfinite Hr Hps Llayers Hl).
  intros x y Hx Hy Hxy. rewrite forallb_forall in Hpairs.
  specialize (Hpairs x ltac:(apply in_seq; lia)). cbv beta in Hpairs.
  rewrite forallb_forall in Hpairs. specialize (Hpairs y ltac:(apply in_seq; lia)).
  apply orb_prop in Hpairs.
  destruct Hpairs as [Heq|Hpair]; [apply Nat.eqb_eq in Heq; contradiction|exact Hpair].
Qed.
