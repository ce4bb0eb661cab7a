(** The verified checker on what a set of outputs of (eps, delta)-private releases tells: the set
    that stands by places, and its probabilities under two values, multiplied out. *)

From TPL Require Export CheckProfile.
From Coq Require Import FunctionalExtensionality.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** Points of the set, and their probabilities given each value, in units *)

Definition weighed_points := list (rational * list Z).

Fixpoint add_at (a : nat) (z : Z) (ws : list Z) : list Z :=
  match ws, a with
  | [], _ => []
  | w :: rest, O => w + z :: rest
  | w :: rest, S b => w :: add_at b z rest
  end.
Definition equal_r (x y : rational) : bool := (fst x =? fst y) && Pos.eqb (snd x) (snd y).
Fixpoint put (n : nat) (v : rational) (a : nat) (z : Z) (told : weighed_points) : weighed_points :=
  match told with
  | [] => [(v, add_at a z (repeat 0 n))]
  | (w, ws) :: rest =>
      if equal_r w v then (w, add_at a z ws) :: rest else (w, ws) :: put n v a z rest
  end.

(** From v each value a leads to the point of [v, phi(v)] nearest to its place. *)
Definition clamped_r (x low high : rational) : rational := min_r (max_r x low) high.
Fixpoint put_each (n : nat) (v high : rational) (a : nat) (own : list rational) (ws : list Z)
  (told : weighed_points) : weighed_points :=
  match own, ws with
  | x :: own', z :: ws' =>
      put_each n v high (S a) own' ws' (if z =? 0 then told else put n (clamped_r x v high) a z
        told)
  | _, _ => told
  end.
Definition led_on (n : nat) (r c : rational) (own : list rational) (told : weighed_points) :
  weighed_points :=
  fold_left (fun found one => put_each n (fst one) (phi_r r c (fst one)) 0 own (snd one) found)
    told [].
(** Given the value at the next nearer release. *)
Definition meant (M : distributions) (told : weighed_points) : weighed_points :=
  map (fun one => (fst one, map (fun row => product_sum row (snd one) 0) (units M))) told.
Definition told_by_places (n : nat) (M : distributions) (r c : rational) (places : list (list
  rational)) (start : rational) : weighed_points :=
  fold_left (fun told own => meant M (led_on n r c own told)) places [(start, repeat 1 n)].

Fixpoint mean_of (f : rational -> rational) (told : weighed_points) (a : nat) : rational :=
  match told with
  | [] => nought
  | (v, ws) :: rest => add_r (mul_r (f v) (nth a ws 0, 1%positive)) (mean_of f rest a)
  end.
Fixpoint power_r (common : Z) (count : nat) : rational :=
  match count with O => whole | S s => mul_r (common, 1%positive) (power_r common s) end.

Definition read_places (n count : nat) (j : json) : result (list (list rational)) :=
  let! l := items_exactly count j in
  let! found := each (fun one => let! row := items_exactly n one in each number row) l in
  let! _ := require (forallb (fun own => Nat.eqb (List.length own) n) found &&
    forallb (forallb (fun x => at_most_r x whole)) found) "a probability is above 1" in
  Done (map (map lowest) found).

Definition check_profile_lower (l : list json) : result claim :=
  match l with
  | [d; assumed; table; epsilon; own; releases; two; peaks; start; alpha; delta] =>
      let! _ := inside "assumed" (assumes [every_step; both_occur] assumed) in
      let! (bits, M, (e, budget), c, count) := read_releases d table epsilon own releases in
      let n := List.length (given M) in
      let! chosen := inside "rows" (rows n two) in
      match chosen with
      | Some (j, k) =>
          let! _ := inside "rows" (require (negb (Nat.eqb j k) && Nat.ltb j n && Nat.ltb k n)
            "two values are expected") in
          let! places := inside "peaks" (read_places n (count - 1) peaks) in
          let! _ := inside "peaks" (require (Nat.eqb (List.length places) (count - 1))
            "places for each other release are expected") in
          let! u := inside "start" (number start) in
          let! _ := inside "start" (require ((0 <=? fst u) && at_most_r u whole) "it is above 1")
            in
          let! (a, at_alpha) := inside "alpha" (read_level bits alpha) in
          let! _ := inside "alpha" (require (negb (infinite_ratio at_alpha))
            "a finite level is expected") in
          let! least := inside "delta" (number delta) in
          let unit := two_to bits in
          let r := lowest (grid_below unit budget, Z.to_pos unit) in
          let odds := lowest (on_grid unit at_alpha, Z.to_pos unit) in
          let told := told_by_places n M r c (rev places) (lowest u) in
          let all := power_r (common M) (count - 1) in
          let! _ := inside "delta" (require (at_most_r whole r && (0 <? fst r) &&
            at_most_r (mul_r least all) (sub_r (mean_of (phi_r r c) told j)
              (mul_r odds (mean_of (fun v => v) told k)))) "it is not attained at alpha") in
          Done (Profile_lower (given M) e c count j k a least)
      | None => Rejected "rows" "two values are expected"
      end
  | _ => Rejected "" "other fields are expected"
  end.

(** ** The set of outputs *)

Open Scope R_scope.

Lemma private_approximately n T eps e c g : eps <= e -> 0 <= c ->
  private_set n T (fun _ => approximate eps c) g -> approximately_private n T e c g.
Proof.
  intros Hle Hc Hg l s a Hl Hs Ha. destruct (Hg l s a Hl Hs Ha) as [H01 H].
  destruct (Hg (then_at l s a) s a (in_range_then n l s a Hl Ha) Hs Ha) as [H01' _].
  pose proof (exp_le _ _ Hle) as He. pose proof (exp_pos eps) as Hp. split; [assumption|].
  set (x := g l) in *. set (y := g (then_at l s a)) in *. unfold approximate in H.
  pose proof (Rle_trans _ _ _ H (Rmin_r _ _)) as H2.
  pose proof (Rle_trans _ _ _ H2 (Rmin_l _ _)) as H3.
  pose proof (Rle_trans _ _ _ H2 (Rmin_r _ _)) as H4. split.
  - assert (exp eps * x <= exp e * x) by (apply Rmult_le_compat_r; lra). lra.
  - assert (exp eps * (1 - y) <= exp e * (1 - y)) by (apply Rmult_le_compat_r; lra).
    enough (1 - c - x <= exp eps * (1 - y)) by lra. rewrite exp_Ropp in H4.
    apply Rmult_le_reg_l with (/ exp eps); [apply Rinv_0_lt_compat; assumption|].
    rewrite <- Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** ** Its probabilities *)

Fixpoint mass (told : weighed_points) (h : R -> R) (a : nat) : R :=
  match told with
  | [] => 0
  | (v, ws) :: rest => h (of_rational v) * IZR (nth a ws 0%Z) + mass rest h a
  end.
Definition of_length (n : nat) (told : weighed_points) : Prop :=
  forall one, In one told -> List.length (snd one) = n.

Lemma add_at_sound a z ws b : (a < List.length ws)%nat ->
  List.length (add_at a z ws) = List.length ws /\
  nth b (add_at a z ws) 0%Z = (nth b ws 0 + if Nat.eqb b a then z else 0)%Z.
Proof.
  revert a b. induction ws as [|w ws IH]; intros a b Ha; [cbn in Ha; lia|].
  destruct a as [|a]; cbn [add_at List.length].
  - split; [reflexivity|]. destruct b as [|b]; cbn; lia.
  - cbn in Ha. split; [f_equal; apply (IH a 0%nat); lia|].
    destruct b as [|b]; [cbn; lia|]. cbn [nth Nat.eqb]. apply IH. lia.
Qed.

Lemma put_sound n v a z told h b : of_length n told -> (a < n)%nat ->
  of_length n (put n v a z told) /\
  mass (put n v a z told) h b = mass told h b + if Nat.eqb b a then h (of_rational v) * IZR z
    else 0.
Proof.
  intros Hl Ha. induction told as [|[w ws] rest IH].
  - destruct (add_at_sound a z (repeat 0%Z n) b ltac:(rewrite repeat_length; assumption))
      as [L E]. cbn [put mass]. split.
    + intros one [<-|[]]. cbn [snd]. rewrite L. apply repeat_length.
    + rewrite E, nth_repeat. destruct (Nat.eqb b a); rewrite Z.add_0_l; ring.
  - cbn [put]. pose proof (Hl (w, ws) (or_introl eq_refl)) as Lw. cbn [snd] in Lw.
    destruct (equal_r w v) eqn:Eq.
    + unfold equal_r in Eq. apply andb_prop in Eq. destruct Eq as [E1 E2].
      apply Z.eqb_eq in E1. apply Pos.eqb_eq in E2.
      assert (E : w = v) by (destruct w, v; cbn in *; congruence). subst w.
      destruct (add_at_sound a z ws b ltac:(lia)) as [L Ez]. split.
      * intros one [<-|Hone]; [cbn [snd]; congruence|]. apply Hl. right. assumption.
      * cbn [mass]. rewrite Ez, plus_IZR. destruct (Nat.eqb b a); ring.
    + destruct IH as [L E]; [intros one Hone; apply Hl; right; assumption|]. split.
      * intros one [<-|Hone]; [assumption|]. apply L. assumption.
      * cbn [mass]. rewrite E. ring.
Qed.

Lemma min_r_spec x y : of_rational (min_r x y) = Rmin (of_rational x) (of_rational y).
Proof.
  unfold min_r. destruct (at_most_r x y) eqn:E.
  - apply at_most_r_iff in E. rewrite Rmin_left; [reflexivity|assumption].
  - pose proof (less_r_sound y x ltac:(unfold less_r; rewrite E; reflexivity)).
    rewrite Rmin_right; [reflexivity|lra].
Qed.

Lemma clamped_r_spec x low high : of_rational (clamped_r x low high) =
  clamped (of_rational x) (of_rational low) (of_rational high).
Proof.
  unfold clamped_r, clamped. rewrite min_r_spec. f_equal. unfold max_r.
  destruct (at_most_r x low) eqn:E.
  - apply at_most_r_iff in E. rewrite Rmax_right; [reflexivity|assumption].
  - pose proof (less_r_sound low x ltac:(unfold less_r; rewrite E; reflexivity)).
    rewrite Rmax_left; [reflexivity|lra].
Qed.

Lemma phi_r_spec eps r c u : (0 < fst r)%Z -> exp eps = of_rational r ->
  of_rational (phi_r r c u) = approximate eps (of_rational c) (of_rational u).
Proof.
  intros Hr He. unfold phi_r, approximate.
  rewrite !min_r_spec, !line_r_spec, whole_one by assumption. cbn [line]. rewrite exp_Ropp, He.
  unfold Rdiv. rewrite (Rmult_comm _ (/ _)). reflexivity.
Qed.

Lemma put_each_sound n v high h b own ws : List.length own = List.length ws ->
  forall a told, (a + List.length own <= n)%nat -> of_length n told ->
  of_length n (put_each n v high a own ws told) /\
  mass (put_each n v high a own ws told) h b = mass told h b +
    if (Nat.leb a b && Nat.ltb b (a + List.length own))%bool
    then h (of_rational (clamped_r (nth (b - a) own nought) v high)) * IZR (nth (b - a) ws 0%Z)
    else 0.
Proof.
  revert ws. induction own as [|x own IH]; intros [|z ws] E a told Ha Hl; cbn in E;
    try discriminate.
  - cbn [put_each List.length]. split; [assumption|].
    destruct (Nat.leb_spec a b), (Nat.ltb_spec b (a + 0)); cbn [andb]; try lia; ring.
  - cbn [put_each List.length] in *.
    assert (Hnext : of_length n (if (z =? 0)%Z then told else put n (clamped_r x v high) a z told)
      /\ mass (if (z =? 0)%Z then told else put n (clamped_r x v high) a z told) h b =
      mass told h b + if Nat.eqb b a then h (of_rational (clamped_r x v high)) * IZR z else 0).
    { destruct (Z.eqb_spec z 0) as [->|_].
      - split; [assumption|]. destruct (Nat.eqb b a); ring.
      - apply put_sound; [assumption|lia]. }
    destruct Hnext as [L1 E1].
    destruct (IH ws ltac:(lia) (S a) _ ltac:(lia) L1) as [L2 E2]. split; [assumption|].
    rewrite E2, E1. destruct (Nat.eqb_spec b a) as [->|N].
    + rewrite Nat.sub_diag. cbn [nth]. destruct (Nat.leb_spec (S a) a); [lia|].
      destruct (Nat.leb_spec a a); [|lia].
      destruct (Nat.ltb_spec a (a + S (List.length own))); [|lia]. cbn [andb]. ring.
    + destruct (Nat.leb_spec (S a) b) as [H|H].
      * destruct (Nat.leb_spec a b); [|lia].
        replace (a + S (List.length own))%nat with (S a + List.length own)%nat by lia.
        replace (b - a)%nat with (S (b - S a)) by lia. cbn [nth andb]. ring.
      * destruct (Nat.leb_spec a b); [lia|]. cbn [andb]. ring.
Qed.

Lemma led_on_sound n eps r c own told h b : (0 < fst r)%Z -> exp eps = of_rational r ->
  List.length own = n -> of_length n told -> (b < n)%nat -> of_length n (led_on n r c own told) /\
  mass (led_on n r c own told) h b = mass told (fun v => h (clamped (of_rational (nth b own
    nought)) v (approximate eps (of_rational c) v))) b.
Proof.
  intros Hr He Lo Hl Hb. unfold led_on.
  assert (H : forall found, of_length n found -> let all := fold_left (fun found one => put_each n
    (fst one) (phi_r r c (fst one)) 0 own (snd one) found) told found in of_length n all /\
    mass all h b = mass found h b + mass told (fun v => h (clamped (of_rational (nth b own nought))
      v (approximate eps (of_rational c) v))) b).
  { induction told as [|[v ws] rest IH]; intros found Hf; cbn [fold_left].
    - split; [assumption|]. cbn [mass]. ring.
    - pose proof (Hl (v, ws) (or_introl eq_refl)) as Lw. cbn [fst snd] in *.
      destruct (put_each_sound n v (phi_r r c v) h b own ws ltac:(congruence) 0 found ltac:(lia)
        Hf) as [L1 E1].
      destruct (IH (fun one Hone => Hl one (or_intror Hone)) _ L1) as [L2 E2].
      split; [assumption|]. rewrite E2, E1. cbn [mass].
      destruct (Nat.leb_spec 0 b); [|lia]. destruct (Nat.ltb_spec b (0 + List.length own)); [|lia].
      cbn [andb]. rewrite Nat.sub_0_r, clamped_r_spec, (phi_r_spec eps) by assumption. ring. }
  destruct (H [] ltac:(intros one [])) as [L E]. split; [assumption|]. rewrite E. cbn [mass].
  ring.
Qed.

Lemma meant_sound n M told h a : n = List.length (given M) -> well_formed n M ->
  of_length n told -> (a < n)%nat -> of_length n (meant M told) /\
  mass (meant M told) h a =
    IZR (common M) * sum n (fun b => of_matrix (given M) a b * mass told h b).
Proof.
  intros En [Hc [El Hall]] Hl Ha. unfold meant. split.
  - intros one Hone. apply in_map_iff in Hone. destruct Hone as [[v ws] [<- _]]. cbn [snd].
    rewrite map_length. congruence.
  - induction told as [|[v ws] rest IH].
    + cbn [map mass]. rewrite (sum_ext n _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. ring.
    + cbn [map mass fst snd]. rewrite IH by (intros one Hone; apply Hl; right; assumption).
      pose proof (Hl (v, ws) (or_introl eq_refl)) as Lw. cbn [snd] in Lw.
      rewrite (nth_indep _ 0%Z ((fun row => product_sum row ws 0) []))
        by (rewrite map_length; lia).
      rewrite (map_nth (fun row => product_sum row ws 0)).
      destruct (Hall a ltac:(lia)) as [La [_ Ua]]. unfold units_of in Ua.
      rewrite product_sum_spec, La by congruence. rewrite Rplus_0_l.
      rewrite (sum_ext n (fun b => IZR (nth b (nth a (units M) []) 0%Z) * IZR (nth b ws 0%Z))
        (fun b => IZR (common M) * (of_matrix (given M) a b * IZR (nth b ws 0%Z))))
        by (intros b _; rewrite Ua; ring).
      rewrite sum_scale.
      rewrite (sum_ext n (fun b => of_matrix (given M) a b * (h (of_rational v) * IZR (nth b ws
        0%Z) + mass rest h b)) (fun b => h (of_rational v) * (of_matrix (given M) a b * IZR (nth b
        ws 0%Z)) + of_matrix (given M) a b * mass rest h b)) by (intros; ring).
      rewrite sum_plus, sum_scale. ring.
Qed.

Definition place_of (places : list (list rational)) (s a : nat) : R :=
  of_rational (nth a (nth s places []) nought).

(** Of all that the releases before come to, given the value at the next one. *)
Lemma told_by_places_sound n M eps r c u P when h l : n = List.length (given M) ->
  well_formed n M -> (0 < fst r)%Z -> exp eps = of_rational r -> forall places,
  (forall own, In own places -> List.length own = n) -> distinct when (List.length places) ->
  (forall s a b, (s < List.length places)%nat -> (a < n)%nat -> (b < n)%nat ->
    P s a b = of_matrix (given M) a b) -> forall a, (a < n)%nat ->
  let told := told_by_places n M r c places u in of_length n told /\
  mass told h a = IZR (common M) ^ List.length places *
    mean n P when (List.length places) (fun l => h (by_places (fun _ => approximate eps
      (of_rational c))
      (place_of places) (of_rational u) (List.length places) (fun s => l (when s)))) a l.
Proof.
  intros En HM Hr He places. revert h l. unfold told_by_places.
  induction places as [|own places IH] using rev_ind; intros h l Hown Hd HP a Ha.
  - cbn [fold_left List.length mass mean pow]. split.
    + intros one [<-|[]]. apply repeat_length.
    + rewrite nth_repeat_lt by assumption. cbn [by_places]. ring.
  - rewrite fold_left_app. cbn [fold_left].
    rewrite app_length in Hd, HP |- *. cbn [List.length] in *. rewrite Nat.add_1_r in *.
    set (s := List.length places) in *.
    set (told := fold_left (fun told own => meant M (led_on n r c own told)) places
      [(u, repeat 1%Z n)]) in *.
    assert (IH' : forall h l b, (b < n)%nat -> of_length n told /\ mass told h b =
      IZR (common M) ^ s * mean n P when s (fun l => h (by_places (fun _ => approximate eps
        (of_rational c))
        (place_of places) (of_rational u) s (fun q => l (when q)))) b l).
    { intros h' l' b Hb. apply IH; auto.
      - intros one Hone. apply Hown, in_or_app. left. assumption.
      - intros q q' Hq Hq'. apply Hd; lia. }
    assert (Lo : List.length own = n).
    { apply Hown, in_or_app. right. left. reflexivity. }
    destruct (IH' h l a Ha) as [Lt _].
    destruct (led_on_sound n eps r c own told h a Hr He Lo Lt Ha) as [Ll _].
    destruct (meant_sound n M (led_on n r c own told) h a En HM Ll Ha) as [Lm Em].
    split; [assumption|]. rewrite Em. cbn [mean pow]. unfold dot.
    rewrite Rmult_assoc. f_equal. rewrite <- sum_scale. apply sum_ext. intros b Hb.
    destruct (led_on_sound n eps r c own told h b Hr He Lo Lt Hb) as [_ ->].
    rewrite (HP s a b ltac:(lia) Ha Hb).
    rewrite (proj2 (IH' _ l b Hb)), mean_then by (intros q Hq E; apply Hd in E; lia).
    rewrite <- !Rmult_assoc. rewrite (Rmult_comm (of_matrix (given M) a b)).
    rewrite !Rmult_assoc. do 3 f_equal. extensionality l'. rewrite by_places_next, then_at_same.
    assert (Eu : by_places (fun _ => approximate eps (of_rational c)) (place_of (places ++ [own]))
      (of_rational u) s (fun q => then_at l' (when s) b (when q)) =
      by_places (fun _ => approximate eps (of_rational c)) (place_of places) (of_rational u) s
        (fun q => l' (when q))).
    { apply by_places_ext.
      - intros q d Hq. unfold place_of. rewrite app_nth1 by assumption. reflexivity.
      - intros q Hq. apply then_at_other. intros E. apply Hd in E; lia. }
    rewrite Eu. unfold place_of at 1 3. rewrite app_nth2, Nat.sub_diag by (unfold s; lia).
    reflexivity.
Qed.

Lemma mean_of_spec f g told a : (forall v, of_rational (f v) = g (of_rational v)) ->
  of_rational (mean_of f told a) = mass told g a.
Proof.
  intros H. induction told as [|[v ws] rest IH]; cbn [mean_of mass]; [apply nought_zero|].
  rewrite add_r_spec, mul_r_spec, IH, H. unfold of_rational at 2. cbn [fst snd].
  replace (IZR (nth a ws 0%Z) / 1) with (IZR (nth a ws 0%Z)) by field. reflexivity.
Qed.

Lemma power_r_spec c count : of_rational (power_r c count) = IZR c ^ count.
Proof.
  induction count as [|s IH]; [apply whole_one|]. cbn [power_r pow]. rewrite mul_r_spec, IH.
  unfold of_rational. cbn [fst snd]. field.
Qed.

(** ** What it tells *)

Lemma outputs_tell n M eps r c u P when T j k odds A least l places : n = List.length (given M) ->
  well_formed n M -> (0 < fst r)%Z -> exp eps = of_rational r -> 0 <= eps ->
  0 <= of_rational c <= 1 -> 0 <= of_rational u <= 1 -> List.length places = T ->
  (forall own, In own places -> List.length own = n) -> distinct when (S T) ->
  (forall s, stochastic n (P s)) -> in_range n l ->
  (forall s a b, (s < T)%nat -> (a < n)%nat -> (b < n)%nat -> P s a b = of_matrix (given M) a b) ->
  (j < n)%nat -> (k < n)%nat -> j <> k -> A <= of_rational odds ->
  at_most_r (mul_r least (power_r (common M) T)) (sub_r
    (mean_of (phi_r r c) (told_by_places n M r c places u) j)
    (mul_r odds (mean_of (fun v => v) (told_by_places n M r c places u) k))) = true ->
  let g := set_by_places when (fun _ => approximate eps (of_rational c)) (place_of places)
    (of_rational u) T j in
  of_rational least <= mean n P when T g j (then_at l (when T) j) -
    A * mean n P when T g k (then_at l (when T) k).
Proof.
  intros En HM Hr He He0 Hc Hu LT Hown Hd HP Hl HPs Hj Hk Hjk HA H g.
  assert (Hd' : distinct when T) by (intros s q Hs Hq; apply Hd; lia).
  assert (Hsound : forall h a, (a < n)%nat -> mass (told_by_places n M r c places u) h a =
    IZR (common M) ^ T * mean n P when T (fun l => h (by_places (fun _ => approximate eps
      (of_rational c))
      (place_of places) (of_rational u) T (fun s => l (when s)))) a l).
  { intros h a Ha. rewrite <- LT in *.
    apply (told_by_places_sound n M eps r c u P when h l En HM Hr He places Hown Hd' HPs a Ha). }
  apply at_most_r_iff in H.
  rewrite sub_r_spec, !mul_r_spec, power_r_spec in H.
  rewrite (mean_of_spec _ (approximate eps (of_rational c))) in H
    by (intros v; apply phi_r_spec; assumption).
  rewrite (mean_of_spec (fun v => v) (fun v => v)) in H by reflexivity.
  rewrite !Hsound in H by assumption.
  assert (Hg : forall l' a, g (then_at l' (when T) a) = if Nat.eqb a j
    then approximate eps (of_rational c) (by_places (fun _ => approximate eps (of_rational c))
      (place_of places)
      (of_rational u) T (fun s => l' (when s)))
    else by_places (fun _ => approximate eps (of_rational c)) (place_of places) (of_rational u) T
      (fun s => l' (when s))).
  { intros l' a. unfold g, set_by_places. rewrite then_at_same.
    rewrite (by_places_ext _ (place_of places) (place_of places) (of_rational u) T
      (fun s => then_at l' (when T) a (when s)) (fun s => l' (when s)));
      [reflexivity|reflexivity|].
    intros q Hq. apply then_at_other. intros E. apply Hd in E; lia. }
  rewrite !mean_then by (intros q Hq E; apply Hd in E; lia).
  assert (Ej : (fun l' => g (then_at l' (when T) j)) = fun l' => approximate eps (of_rational c)
    (by_places (fun _ => approximate eps (of_rational c)) (place_of places) (of_rational u) T
      (fun s => l' (when s)))).
  { extensionality l'. rewrite Hg, Nat.eqb_refl. reflexivity. }
  assert (Ek : (fun l' => g (then_at l' (when T) k)) = fun l' => by_places (fun _ => approximate
    eps (of_rational c)) (place_of places) (of_rational u) T (fun s => l' (when s))).
  { extensionality l'. rewrite Hg. destruct (Nat.eqb_spec k j); [congruence|reflexivity]. }
  rewrite Ej, Ek. set (one := mean n P when T _ j l) in *. 
  assert (Hnonneg : 0 <= mean n P when T (fun l' => by_places (fun _ => approximate eps
    (of_rational c))
    (place_of places) (of_rational u) T (fun s => l' (when s))) k l).
  { apply mean_nonneg; auto. intros l' _. apply by_places_range; [|assumption].
    intros _. apply approximate_rises; assumption. }
  set (other := mean n P when T _ k l) in *.
  pose proof (proj1 HM) as HC. apply IZR_lt in HC.
  pose proof (pow_lt (IZR (common M)) T HC) as Hp. set (w := IZR (common M) ^ T) in *.
  apply Rle_trans with (one - of_rational odds * other).
  - apply Rmult_le_reg_r with w; [assumption|]. lra.
  - apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_r; assumption.
Qed.

(** ** profile-lower *)

Lemma profile_lower_claim M unit budget eps own count at_alpha alpha least places u j k :
  let n := List.length (given M) in
  let r := lowest (grid_below unit budget, Z.to_pos unit) in
  let odds := lowest (on_grid unit at_alpha, Z.to_pos unit) in
  let told := told_by_places n M r own (rev places) (lowest u) in
  (0 < unit)%Z ->
  well_formed n M -> (0 < n)%nat -> encloses budget (of_level eps) ->
  infinite_ratio budget = false -> (0 <= fst own)%Z -> at_most_r own whole = true ->
  (0 < count)%nat ->
  encloses at_alpha (of_level alpha) -> infinite_ratio at_alpha = false ->
  (j < n)%nat -> (k < n)%nat -> j <> k -> List.length places = (count - 1)%nat ->
  (forall one, In one places -> List.length one = n) ->
  (0 <= fst u)%Z -> at_most_r u whole = true -> at_most_r whole r = true -> (0 < fst r)%Z ->
  at_most_r (mul_r least (power_r (common M) (count - 1))) (sub_r (mean_of (phi_r r own) told j)
    (mul_r odds (mean_of (fun v => v) told k))) = true ->
  holds (Profile_lower (given M) eps own count j k alpha least).
Proof.
  intros n r odds told Hu HM Hn Hbudget Hfin Hown Hown1 Hcount Halpha Hfinite Hj Hk Hjk Lp Hplaces
    Hu0 Hu1 Hr1 Hr H.
  apply IZR_lt in Hu as HU. cbn [holds]. fold n. split; [assumption|].
  pose proof (well_formed_stochastic M HM) as HPM. split; [exact HPM|].
  split; [assumption|]. split; [assumption|]. split; [assumption|].
  intros e a He Ha.
  destruct (at_budget budget eps e Hbudget Hfin He) as [Hbe _].
  destruct (at_budget at_alpha alpha a Halpha Hfinite Ha) as [Hae Hapos].
  assert (Hfraction : forall x, of_rational (lowest (x, Z.to_pos unit)) = IZR x / IZR unit).
  { intros x. rewrite lowest_same. unfold of_rational. cbn [fst snd]. rewrite Z2Pos.id
      by assumption. reflexivity. }
  assert (Hratio : of_rational r <= exp e).
  { unfold r. rewrite Hfraction. apply Rmult_le_reg_r with (IZR unit); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply grid_below_sound; assumption. }
  assert (HA : exp a <= of_rational odds).
  { unfold odds. rewrite Hfraction. apply Rmult_le_reg_r with (IZR unit); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply on_grid_sound; assumption. }
  apply at_most_r_iff in Hown1, Hu1, Hr1. rewrite whole_one in Hown1, Hu1, Hr1.
  assert (Hnonneg : forall x : rational, (0 <= fst x)%Z -> 0 <= of_rational x).
  { intros x Hx. unfold of_rational. apply Rmult_le_pos; [apply IZR_le; assumption|].
    left. apply Rinv_0_lt_compat, IZR_pos. }
  pose proof (Hnonneg own Hown) as Hown0. pose proof (Hnonneg u Hu0) as Hu00.
  rewrite <- (lowest_same u) in Hu00, Hu1.
  set (low := ln (of_rational r)). assert (Elow : exp low = of_rational r)
    by (apply exp_ln; lra).
  assert (Hlow0 : 0 <= low) by (apply exp_le_inv; rewrite Elow, exp_0; assumption).
  assert (Hlow : low <= e) by (apply exp_le_inv; rewrite Elow; assumption).
  set (T := (count - 1)%nat) in *.
  set (phi := approximate low (of_rational own)).
  assert (Hphi : rises_above phi) by (apply approximate_rises; [assumption|lra]).
  assert (Hset : forall when, distinct when (S T) -> (forall s, (s <= T)%nat -> exists q,
    (q <= T)%nat /\ when q = s) -> approximately_private n T e (of_rational own)
      (set_by_places when (fun _ => phi) (place_of (rev places)) (of_rational (lowest u)) T j)).
  { intros when Hd Hon. apply (private_approximately n T low); [assumption|assumption|].
    apply (places_private n when (fun _ => phi)); auto; [|split; assumption].
    intros q s v _ _ _. apply Rle_refl. }
  assert (Hrev : forall one, In one (rev places) -> List.length one = n).
  { intros one Hone. apply Hplaces, in_rev. assumption. }
  assert (Horigin : in_range n origin) by (intros s; exact Hn).
  assert (Htell : forall P when, distinct when (S T) -> (forall s, stochastic n (P s)) ->
    (forall s x y, (s < T)%nat -> (x < n)%nat -> (y < n)%nat ->
      P s x y = of_matrix (given M) x y) ->
    let g := set_by_places when (fun _ => phi) (place_of (rev places)) (of_rational (lowest u)) T
      j in
    of_rational least <= mean n P when T g j (then_at origin (when T) j) -
      exp a * mean n P when T g k (then_at origin (when T) k)).
  { intros P when Hd HP HPs. apply (outputs_tell n M low r own (lowest u) P when T j k odds);
      auto; try lra. rewrite rev_length. exact Lp. }
  unfold told_at, both_possible, correlated, values_in. cbn [at_step List.length].
  clear H HA Hratio. clearbody phi. split.
  - exists (set_by_places (fun s => s) (fun _ => phi) (place_of (rev places)) (of_rational
    (lowest u)) T
      j). split; [apply Hset; [intros s q _ _ E; exact E|intros s Hs; exists s; auto]|].
    intros c [Hvalid [HB _]] [Pj Pk].
    destruct HB as [HB|[_ [B [HB Hsame]]]]; [fold n in HB; lia|].
    rewrite !(given_mean n c T B), Nat.sub_diag by auto. cbn [mean].
    apply (Htell B (fun s => s)); [intros s q _ _ E; exact E|apply HB|].
    intros s x y Hs Hx Hy. apply Hsame; assumption.
  - exists (set_by_places (fun s => (T - s)%nat) (fun _ => phi) (place_of (rev places))
      (of_rational (lowest u)) T j).
    assert (Hd : distinct (fun s => (T - s)%nat) (S T)) by (intros s q Hs Hq E; lia).
    split; [apply Hset; [assumption|intros s Hs; exists (T - s)%nat; lia]|].
    intros c [Hvalid [_ HF]] [Pj Pk]. destruct HF as [HF|[_ Hsame]]; [fold n in HF; lia|].
    rewrite !(given_mean n c T (reversed n c)) by (auto using bayes_rule; lia).
    rewrite Nat.sub_0_r. cbn [mean].
    assert (E : forall b, then_at origin 0 b = then_at origin (T - T) b)
      by (intros b; rewrite Nat.sub_diag; reflexivity).
    rewrite !E. apply (Htell (to_come c T) (fun s => (T - s)%nat)); [assumption| |].
    + intros s. apply Hvalid.
    + intros s x y Hs Hx Hy. apply Hsame; [lia|assumption..].
Qed.

Lemma read_places_sound n count j places : read_places n count j = Done places ->
  forall one, In one places -> List.length one = n.
Proof.
  unfold read_places. intros H. step H. injection H as <-. clean.
  match goal with E : _ && _ = true |- _ => apply andb_prop in E; destruct E as [E _];
    rewrite forallb_forall in E; rename E into Hall end.
  intros one Hone. apply in_map_iff in Hone. destruct Hone as [own [<- Hin]].
  rewrite map_length. apply Nat.eqb_eq, Hall. assumption.
Qed.

Lemma check_profile_lower_sound l c : check_profile_lower l = Done c -> holds c.
Proof.
  unfold check_profile_lower. intros H. do 11 (destruct l as [|? l]; [discriminate|]).
  destruct l; [|discriminate]. step H. open_pairs.
  match type of H with match ?x with _ => _ end = _ => destruct x as [[one other]|];
    [|discriminate] end. step H. open_pairs. injection H as <-. clean.
  match goal with E : read_releases _ _ _ _ _ = Done (?b, ?m, (?x, ?y), ?z, ?t) |- _ =>
    apply read_releases_sound in E;
    destruct E as [HM [Hn [Hbudget [Hfin [Hown [Hcount Hown1]]]]]];
    rename b into bits, m into M, x into eps, y into budget, z into own, t into count end.
  match goal with E : encloses ?x (of_level ?y), F : negb (infinite_ratio ?x) = true |- _ =>
    rename x into at_alpha, y into alpha; rename E into Halpha; apply negb_true_iff in F;
    rename F into Hfinite end.
  match goal with E : negb (_ =? _)%nat && _ && _ = true |- _ => apply andb_prop in E;
    destruct E as [E Hk]; apply andb_prop in E; destruct E as [Hjk Hj] end.
  apply negb_true_iff, Nat.eqb_neq in Hjk. apply Nat.ltb_lt in Hj, Hk.
  match goal with E : (List.length ?p =? _)%nat = true, F : read_places _ _ _ = Done ?p |- _ =>
    apply Nat.eqb_eq in E; pose proof (read_places_sound _ _ _ _ F) as Hplaces;
    rename E into Lp end.
  match goal with E : (0 <=? fst ?u)%Z && at_most_r ?u whole = true |- _ => apply andb_prop in E;
    destruct E as [Hu0 Hu1]; apply Z.leb_le in Hu0 end.
  match goal with E : at_most_r whole _ && _ && _ = true |- _ => apply andb_prop in E;
    destruct E as [E Htell]; apply andb_prop in E; destruct E as [Hr1 Hr]; apply Z.ltb_lt in Hr
  end.
  exact (profile_lower_claim M (two_to bits) budget eps own count at_alpha alpha _ _ _ one other
    (two_to_positive bits) HM Hn Hbudget Hfin Hown Hown1 Hcount Halpha Hfinite Hj Hk Hjk Lp
    Hplaces Hu0 Hu1 Hr1 Hr Htell).
Qed.
