(** The verified checker on one linear-fractional program: its optimum by the rules (U) and (S),
    and where e^alpha is a rational number exactly, by a solution of the linear program of Charnes
    and Cooper and one of its dual. *)

From TPL Require Export CheckLoss.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** The rows are q and d. *)
Definition numerator (M : distributions) : list Z := nth 0 (units M) [].
Definition denominator (M : distributions) : list Z := nth 1 (units M) [].

Definition optimum_at_most (M : distributions) : enclosure -> enclosure -> bool :=
  value_at_most (common M) (fun a b limit =>
    positive_sum (map (Z.mul b) (numerator M)) (map (Z.mul a) (denominator M)) 0 <=? limit).

(** e^alpha = a/b, and all of t, y, u and w in units of 1/one: d y = 1, t <= y_j <= A t, q y =
    lambda, q - lambda d = w - u and sum u = A sum w. *)
Definition solves (n : nat) (M : distributions) (a b : Z) (lambda : rational) (one t : Z) (y u w :
  list Z) : bool :=
  let l := fst lambda in
  let m := Zpos (snd lambda) in
  (0 <? one) && (0 <=? t) && Nat.eqb (List.length y) n && Nat.eqb (List.length u) n && Nat.eqb
    (List.length w) n
  && (product_sum (denominator M) y 0 =? common M * one)
  && forallb (fun z => (t <=? z) && (z * b <=? a * t)) y
  && (product_sum (numerator M) y 0 * m =? l * common M * one)
  && forallb (fun entry => let '((q, d), (x, z)) := entry in
       (0 <=? x) && (0 <=? z) && ((m * q - l * d) * one =? (z - x) * common M * m))
       (combine (combine (numerator M) (denominator M)) (combine u w))
  && (added u * b =? a * added w).

Definition check_solutions (n : nat) (M : distributions) (a b : Z) (reached : Z * Z) (primal dual :
  json) : result rational :=
  let! l := inside "primal" (fields ["t"; "y"] primal) in
  let! l' := inside "dual" (fields ["lambda"; "u"; "w"] dual) in
  match l, l' with
  | [t; y], [lambda; u; w] =>
      let! lambda := inside "dual.lambda" (number lambda) in
      let! t := inside "primal.t" (number t) in
      let! y := inside "primal.y" (let! l := items_exactly n y in each number l) in
      let! u := inside "dual.u" (let! l := items_exactly n u in each number l) in
      let! w := inside "dual.w" (let! l := items_exactly n w in each number l) in
      let! one := inside "dual" (denominators_of 1 [[t]; y; u; w]) in
      let scaled := map (scaled_entry one) in
      let! _ := require (solves n M a b lambda one (scaled_entry one t) (scaled y) (scaled u)
        (scaled w))
        "these are no solutions of the program and its dual" in
      let! _ := inside "subset" (require (fst reached * Zpos (snd lambda) =? fst lambda * snd
        reached)
        "the columns do not give lambda") in
      Done lambda
  | _, _ => Rejected "" "other fields are expected"
  end.

Definition check_lfp_optimum (l : list json) : result claim :=
  match l with
  | [digit; top; bottom; alpha; columns; value; primal; dual] =>
      let! bits := inside "digits" (digits digit) in
      let! tops := inside "q" (let! l := some_items most_states top in each number l) in
      let n := List.length tops in
      let! bottoms := inside "d" (let! l := items_exactly n bottom in each number l) in
      let! M := over_one n [tops; bottoms] in
      let! (a, at_alpha) := inside "alpha" (read_level bits alpha) in
      let! listed := inside "subset" (subset n columns) in
      let! qd := inside "subset" (sums M (Some (0%nat, 1%nat)) listed) in
      let reached := value_at M qd at_alpha in
      let! (claimed, (lo, hi)) := inside "value" (read_bounds bits value) in
      let! _ := inside "value" (require (at_most lo reached)
        "the lower bound is above what is proved") in
      let! _ := inside "value" (require (optimum_at_most M at_alpha hi)
        "the upper bound is not proved") in
      let! solved :=
        let (e, m) := low at_alpha in
        if (e =? fst (high at_alpha)) && (m =? snd (high at_alpha)) && (0 <? m) then
          let! lambda := check_solutions n M e m (low reached) primal dual in Done (Some lambda)
        else match primal, dual with
          | Null, Null => Done None
          | _, _ => Rejected "primal"
            "null is expected, and of the dual: the ratio is not rational"
          end in
      Done (Lfp_optimum tops bottoms a claimed solved)
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

(** What M says of q and d. *)
Definition stands_for_pair (n : nat) (M : distributions) (q d : nat -> R) : Prop :=
  (0 < common M)%Z /\ distribution n q /\ distribution n d /\
  List.length (numerator M) = n /\ List.length (denominator M) = n /\
  (forall j, IZR (nth j (numerator M) 0%Z) = IZR (common M) * q j) /\
  (forall j, IZR (nth j (denominator M) 0%Z) = IZR (common M) * d j).

Lemma over_one_pair n tops bottoms M : over_one n [tops; bottoms] = Done M -> given M = [tops;
  bottoms] /\
  well_formed n M /\ stands_for_pair n M (of_row tops) (of_row bottoms).
Proof.
  intros H. apply over_one_sound in H. destruct H as [E H]. split; [assumption|].
    split; [assumption|].
  destruct H as [Hc [El Hall]]. rewrite E in Hall. destruct (Hall 0%nat ltac:(simpl; lia))
    as [L0 [D0 U0]].
  destruct (Hall 1%nat ltac:(simpl; lia)) as [L1 [D1 U1]]. repeat split; auto; try apply D0;
    try apply D1.
Qed.

(** The optimum by solutions: weak duality. *)
Lemma solves_sound n M a b lambda one t y u w q d x : stands_for_pair n M q d -> (0 < b)%Z ->
  0 <= x -> exp x * IZR b = IZR a ->
  solves n M a b lambda one t y u w = true -> is_optimum n q d x (of_rational lambda).
Proof.
  intros [Hc [Hq [Hd [Lq [Ld [Uq Ud]]]]]] Hb Hx Hab H. pose proof (exp_ratio x Hx) as HA.
    set (A := exp x) in *.
  unfold solves in H. cbv zeta in H.
  repeat match type of H with _ && _ = true => let K := fresh "K" in apply andb_prop in H;
    destruct H as [H K] end.
  apply Z.ltb_lt in H. apply Z.leb_le in K7. apply Nat.eqb_eq in K6, K5, K4. apply Z.eqb_eq in K3,
    K1, K.
  rename H into Hone, K7 into Ht, K6 into Ly, K5 into Lu, K4 into Lw, K3 into Kd, K2 into Kbox,
    K1 into Kq, K0 into Kdual, K into Ksum.
  apply IZR_lt in Hc, Hb, Hone. apply IZR_le in Ht. pose proof (IZR_pos (snd lambda)) as Hm.
  set (l := IZR (fst lambda)) in *. set (m := IZR (Zpos (snd lambda))) in *.
    set (c := IZR (common M)) in *. set (o := IZR one) in *.
  assert (El : of_rational lambda * m = l) by (change (l / m * m = l); field; lra).
    set (v := of_rational lambda) in *.
  set (Y := fun j => IZR (nth j y 0%Z)).
  assert (Hbox : forall j, (j < n)%nat -> IZR t <= Y j /\ Y j <= A * IZR t).
  { intros j Hj. rewrite forallb_forall in Kbox. specialize (Kbox (nth j y 0%Z) ltac:(apply nth_In;
    lia)).
    apply andb_prop in Kbox. destruct Kbox as [B1 B2]. apply Z.leb_le, IZR_le in B1, B2.
      rewrite !mult_IZR in B2. split; [assumption|].
    apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Y. rewrite <- Hab in B2. lra. }
  assert (Hdots : c * dot n d Y = c * o /\ c * dot n q Y = v * c * o).
  { apply (f_equal IZR) in Kd, Kq. rewrite !mult_IZR in Kd. rewrite !mult_IZR in Kq.
    rewrite product_sum_spec in Kd, Kq by congruence.
    rewrite Lq, Ld in *. rewrite Rplus_0_l in *.
    assert (E : forall p z, (forall j, IZR (nth j z 0%Z) = c * p j) ->
      sum n (fun j => IZR (nth j z 0%Z) * IZR (nth j y 0%Z)) = c * dot n p Y).
    { intros p z Hz. unfold dot. rewrite <- sum_scale. apply sum_ext. intros j _. rewrite Hz.
      unfold Y. ring. }
    rewrite (E d) in Kd by assumption. rewrite (E q) in Kq by assumption. fold c o in Kd.
      fold c o l m in Kq. split; [exact Kd|].
    apply Rmult_eq_reg_r with m; [|lra]. rewrite Kq, <- El. ring. }
  destruct Hdots as [Dd Dq].
  assert (Dd' : dot n d Y = o) by (apply Rmult_eq_reg_l with c; lra).
  assert (Dq' : dot n q Y = v * o) by (apply Rmult_eq_reg_l with c; lra).
  assert (Hwithin : within n A Y).
  { split; [intros j Hj; destruct (Hbox j Hj); lra|]. intros j k Hj Hk. destruct (Hbox j Hj),
    (Hbox k Hk). nra. }
  assert (Hlower : v <= optimum n q d A).
  { pose proof (optimum_bounds n q d A Y Hq Hd HA Hwithin) as Hle. rewrite Dd', Dq' in Hle.
    apply Rmult_le_reg_r with o; assumption. }
  assert (Hdual : forall j, (j < n)%nat -> 0 <= IZR (nth j u 0%Z) /\ 0 <= IZR (nth j w 0%Z) /\
    (q j - v * d j) * o = IZR (nth j w 0%Z) - IZR (nth j u 0%Z)).
  { intros j Hj. rewrite forallb_forall in Kdual.
    pose proof (in_combine_nth (combine (numerator M) (denominator M)) (combine u w) j (0%Z,
      0%Z) (0%Z, 0%Z)
      ltac:(rewrite combine_length; lia) ltac:(rewrite !combine_length; lia)) as Hin.
    rewrite !combine_nth in Hin by congruence. specialize (Kdual _ Hin). cbv beta iota in Kdual.
    apply andb_prop in Kdual. destruct Kdual as [Kd1 Kd3]. apply andb_prop in Kd1.
      destruct Kd1 as [Kd1 Kd2].
    apply Z.leb_le, IZR_le in Kd1, Kd2. apply Z.eqb_eq, (f_equal IZR) in Kd3. split; [assumption|].
      split; [assumption|].
    rewrite !mult_IZR, !minus_IZR, !mult_IZR, Uq, Ud in Kd3. fold c o l m in Kd3.
      rewrite <- El in Kd3.
    apply Rmult_eq_reg_r with (c * m); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption]. lra. }
  assert (Hsums : sum n (fun j => IZR (nth j u 0%Z)) = A * sum n (fun j => IZR (nth j w 0%Z))).
  { apply (f_equal IZR) in Ksum. rewrite !mult_IZR in Ksum. unfold added in Ksum.
    rewrite !added_spec, Lu, Lw, !Rplus_0_l in Ksum.
    apply Rmult_eq_reg_r with (IZR b); [|lra]. rewrite Ksum, <- Hab. ring. }
  assert (Hupper : optimum n q d A <= v).
  { apply optimum_least. intros S. pose proof (piece_of_spec n q d S A Hd HA) as Hs.
    pose proof (piece_denominator n d S A Hd HA) as Hden.
    assert (Hz : forall j, 1 <= corner S A j <= A) by (intros j; unfold corner; destruct (S j);
      lra).
    assert (Hle : (dot n q (corner S A) - v * dot n d (corner S A)) * o <= 0).
    { replace ((dot n q (corner S A) - v * dot n d (corner S A)) * o)
        with (sum n (fun j => (IZR (nth j w 0%Z) - IZR (nth j u 0%Z)) * corner S A j)).
      - apply Rle_trans with (sum n (fun j => A * IZR (nth j w 0%Z) - IZR (nth j u 0%Z))).
        + apply sum_le. intros j Hj. destruct (Hdual j Hj) as [D1 [D2 _]]. destruct (Hz j). nra.
        + rewrite sum_minus, sum_scale, Hsums. lra.
      - unfold dot. rewrite <- sum_scale, <- sum_minus, <- sum_scale_r. apply sum_ext. intros j Hj.
        destruct (Hdual j Hj) as [_ [_ D3]]. rewrite <- D3. ring. }
    rewrite !dot_corner in Hle by assumption.
    apply Rmult_le_reg_r with (sum_on n S d * (A - 1) + 1); [lra|]. rewrite Hs.
    assert (Hle' : sum_on n S q * (A - 1) + 1 - v * (sum_on n S d * (A - 1) + 1) <= 0).
    { apply Rmult_le_reg_r with o; [assumption|]. lra. }
    lra. }
  replace v with (optimum n q d A) by (apply Rle_antisym; assumption). apply optimum_is_optimum;
    assumption.
Qed.

(** The optima of a program and the values of its optimum as a function are the same. *)
Lemma optima_between q d bounds X : distribution (List.length q) (of_row q) ->
  distribution (List.length q) (of_row d) -> all_nonneg X ->
  between bounds (values_of (fun a => ln (optimum (List.length q) (of_row q) (of_row d) (exp a)))
    X) -> between bounds (optima q d X).
Proof.
  intros Hq Hd H0 [H1 H2].
  assert (Hsame : forall x, optima q d X x <-> values_of (fun a =>
    ln (optimum (List.length q) (of_row q) (of_row d) (exp a))) X x).
  { intros x. split.
    - intros [a [v [Ha [Hv ->]]]]. exists a. split; [assumption|]. f_equal.
      apply (is_optimum_unique (List.length q) (of_row q) (of_row d) a); [assumption|].
        apply optimum_is_optimum; auto.
    - intros [a [Ha ->]]. exists a, (optimum (List.length q) (of_row q) (of_row d) (exp a)).
      split; [assumption|].
      split; [apply optimum_is_optimum; auto|reflexivity]. }
  split.
  - intros u Hu. apply H1. intros x Hx. apply Hu, Hsame, Hx.
  - unfold nothing_above in *. destruct (of_level (snd bounds)); [|exact I]. intros x Hx.
    apply H2, Hsame, Hx.
Qed.

Lemma check_solutions_sound n M a b reached primal dual lambda q d x : stands_for_pair n M q d ->
  (0 < b)%Z -> 0 <= x ->
  exp x * IZR b = IZR a -> check_solutions n M a b reached primal dual = Done lambda ->
    is_optimum n q d x (of_rational lambda).
Proof.
  intros HM Hb Hx Hab H. unfold check_solutions in H. step H.
  destruct a0 as [|t [|y []]]; try discriminate. destruct a1 as [|l [|u [|w []]]];
    try discriminate. step H. injection H as <-. clean.
  eapply solves_sound; eassumption.
Qed.

Lemma check_lfp_optimum_sound l c : check_lfp_optimum l = Done c -> holds c.
Proof.
  unfold check_lfp_optimum. intros H. do 8 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean. read_bounds_of.
  match goal with E : over_one ?n [?tops; ?bottoms] = Done ?M |- _ =>
    destruct (over_one_pair n tops bottoms M E) as [Egiven [HM Hpair]] end.
  pose proof Hpair as [Hc [Hq [Hd [Lq [Ld [Uq Ud]]]]]]. apply IZR_lt in Hc as HC. cbn [holds].
  match goal with He : encloses ?e (of_level ?l), E : sums ?M _ _ = Done (?u, ?v), E' :
    (let (_, _) := low ?e in _) = _ |- _ =>
    rename e into at_alpha, l into alpha, u into qs, v into ds; rename E into Hsums,
      E' into Hsolved, He into Halpha end.
  destruct (sums_of_pair _ _ _ _ _ _ _ HM Hsums) as [_ [_ [Hqd [S [Eq Ed]]]]].
    rewrite Egiven in Eq, Ed.
  unfold of_matrix in Eq, Ed. cbn [nth] in Eq, Ed.
  split; [assumption|]. split; [assumption|]. split.
  - apply optima_between; auto using stands_for_nonneg.
    match type of Hpair with stands_for_pair ?n ?M ?q ?d => pose proof (optimum_gentle n q d Hq Hd)
      as Hf end.
    match type of Hf with gentle ?f => destruct (value_reached f _ qs ds (of_level alpha) at_alpha
      (stands_for alpha) Hf Hc) as [w [Hw Hr]] end;
      auto using stands_for_nonneg, stands_for_reached.
    + split; [|assumption]. apply le_IZR. rewrite Ed. apply Rmult_le_pos; [lra|].
      apply sum_on_bounds. assumption.
    + intros x Hx. rewrite exp_ln; [|match goal with |- 0 < optimum ?n ?q ?d ?A =>
        pose proof (optimum_ratio n q d A Hq Hd (exp_ratio x Hx)); lra end].
      rewrite Eq, Ed. apply piece_scaled; auto using exp_ratio, optimum_upper.
    + compare. split; [eauto using reached_less|].
      match goal with E : optimum_at_most ?M _ ?hi = true, Hh : encloses ?hi ?h |- _ =>
        refine (value_at_most_sound _ _ _ _ _ at_alpha hi _ Hc Hf _ Halpha Hh (stands_for_nonneg
          alpha) (stands_for_below alpha) E) end.
      intros x' y' limit x Hb Hx Hl Hnone Hlimit. apply exp_le_inv. apply Z.leb_le, IZR_le in
        Hnone.
      match goal with |- exp (ln (optimum ?n ?q ?d ?A)) <= _ =>
        pose proof (optimum_ratio n q d A Hq Hd (exp_ratio x Hx));
        rewrite (positive_sum_scaled n _ x' y' _ _ q d Hb HC Lq Ld Uq Ud) in Hnone end.
      rewrite !exp_ln by lra. apply optimum_limit; auto using exp_ratio. apply Hlimit;
        [|assumption].
      apply sum_nonneg. intros. apply positive_part_nonneg.
  - destruct (low at_alpha) as [e m] eqn:Elow.
    match type of Hsolved with (if ?c then _ else _) = _ => destruct c eqn:Eexact end.
    + step Hsolved. injection Hsolved as <-. apply andb_prop in Eexact.
      destruct Eexact as [Eexact Hm].
      apply andb_prop in Eexact. destruct Eexact as [Etop Ebottom]. apply Z.eqb_eq in Etop,
        Ebottom.
      apply Z.ltb_lt in Hm.
      intros x [Hx0 Hx]. destruct Halpha as [_ [[_ [_ Hlow]] [_ [_ Hhigh]]]]. rewrite Elow in Hlow.
        simpl in Hlow.
      rewrite <- Ebottom in Hhigh.
      destruct (of_level alpha) as [y|]; [subst y; rewrite <- Etop in Hhigh|lia].
      eapply check_solutions_sound; [exact Hpair|exact Hm|assumption|apply Rle_antisym;
        [exact Hhigh|exact Hlow]|eassumption].
    + repeat match type of Hsolved with match ?x with Null => _ | _ => _ end = _ => destruct x;
      try discriminate end. injection Hsolved as <-. exact I.
Qed.
