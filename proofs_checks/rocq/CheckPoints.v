(** Points of functions that are linear between them, as rational numbers: where phi bends and what
    it leads to, where a point of one list is among those of another, and integers at points, whose
    maximum over [u, phi(u)] is rounded upward. *)

From TPL Require Export Between Matrices.
Import ListNotations.
Open Scope Z_scope.

(** ** Rationals *)

(** A common divisor that nobody vouches for: what it divides is checked. *)
Definition rough_divisor (a b : Z) : Z := Z.gcd a b.
Definition lowest (x : rational) : rational :=
  let d := Zpos (snd x) in
  let g := rough_divisor (fst x) d in
  match d / g with
  | Zpos e => if (fst x / g * g =? fst x) && (Zpos e * g =? d) then (fst x / g, e) else x
  | _ => x
  end.

Definition nought : rational := (0, 1%positive).
Definition whole : rational := (1, 1%positive).
Definition add_r (x y : rational) : rational :=
  lowest (fst x * Zpos (snd y) + fst y * Zpos (snd x), Pos.mul (snd x) (snd y)).
Definition sub_r (x y : rational) : rational := add_r x (- fst y, snd y).
Definition mul_r (x y : rational) : rational :=
  lowest (fst x * fst y, Pos.mul (snd x) (snd y)).
(** By what is above 0. *)
Definition div_r (x y : rational) : rational :=
  match fst y with
  | Zpos e => lowest (fst x * Zpos (snd y), Pos.mul (snd x) e)
  | _ => nought
  end.
Definition at_most_r (x y : rational) : bool := fst x * Zpos (snd y) <=? fst y * Zpos (snd x).
Definition less_r (x y : rational) : bool := negb (at_most_r y x).
Definition same_r (x y : rational) : bool := fst x * Zpos (snd y) =? fst y * Zpos (snd x).
Definition min_r (x y : rational) : rational := if at_most_r x y then x else y.
Definition max_r (x y : rational) : rational := if at_most_r x y then y else x.

(** ** phi, and points between which all is linear *)

(** The three lines of which phi is the least, r being e^epsilon or more and c delta. *)
Definition line_r (r c : rational) (which : nat) (u : rational) : rational :=
  match which with
  | O => whole
  | S O => add_r (mul_r r u) c
  | _ => sub_r whole (div_r (sub_r (sub_r whole c) u) r)
  end.
Definition phi_r (r c u : rational) : rational :=
  min_r whole (min_r (line_r r c 1 u) (line_r r c 2 u)).
(** The least u with phi(u) = y. *)
Definition led_from (r c y : rational) : rational :=
  max_r nought (max_r (div_r (sub_r y c) r) (sub_r (sub_r whole c) (mul_r r (sub_r whole y)))).

Fixpoint merged (l : list rational) : list rational -> list rational :=
  fix go m := match l, m with
    | [], _ => m
    | _, [] => l
    | x :: l', y :: m' =>
        if less_r x y then x :: merged l' m
        else if less_r y x then y :: go m'
        else x :: merged l' m'
    end.
(** Where phi bends, and 0 and 1. *)
Definition bends (r c : rational) : list rational :=
  let rest := sub_r whole c in
  fold_right merged [] [[nought]; [div_r rest (add_r whole r)]; [rest]; [whole]].
Definition points_before (r c : rational) (ps : list rational) : list rational :=
  merged ps (merged (bends r c) (map (led_from r c) (filter (at_most_r c) ps))).

(** Between which two neighbours a point is, and which part of the way. *)
Definition place := (nat * rational)%type.
Fixpoint places (ps : list rational) (i : nat) : list rational -> list place :=
  match ps with
  | p :: ((q :: more) as rest) =>
      fix go us := match us with
        | [] => []
        | u :: us' =>
            if match more with [] => false | _ => at_most_r q u end then places rest (S i) us
            else (i, div_r (sub_r u p) (sub_r q p)) :: go us'
        end
  | _ => fun _ => []
  end.

(** The points of a release, and where u and phi(u) are among those of the nearer one. *)
Definition layer := (list rational * list (place * place))%type.
Fixpoint layers_from (r c : rational) (count : nat) (ps : list rational) : list layer :=
  match count with
  | O => []
  | S rest =>
      let us := points_before r c ps in
      (us, combine (places ps 0 us) (places ps 0 (map (phi_r r c) us))) :: layers_from r c rest us
  end.

(** ** What holds of them is checked *)

Fixpoint in_turn {A} (holds : A -> A -> bool) (l : list A) : bool :=
  match l with x :: ((y :: _) as rest) => holds x y && in_turn holds rest | _ => true end.

(** From one point to the next phi is at most a line that is nowhere above it at both. *)
Definition bounds_phi (r c u v : rational) : bool :=
  less_r u v && existsb (fun which => at_most_r (line_r r c which u) (phi_r r c u) &&
    at_most_r (line_r r c which v) (phi_r r c v)) [0; 1; 2]%nat.
Definition points_hold (r c : rational) (us : list rational) : bool :=
  Nat.leb 2 (List.length us) && same_r (nth 0 us nought) nought &&
  same_r (nth (List.length us - 1) us nought) whole && in_turn (bounds_phi r c) us.

Definition is_place (ps : list rational) (u : rational) (w : place) : bool :=
  let (i, x) := w in
  let p := nth i ps nought in
  Nat.ltb (S i) (List.length ps) && (0 <=? fst x) && (fst x <=? Zpos (snd x)) &&
  same_r (add_r p (mul_r x (sub_r (nth (S i) ps nought) p))) u.
(** No point of the nearer release is strictly between. *)
Definition beside (one other : place) : bool :=
  Nat.eqb (fst one) (fst other) || (Nat.eqb (S (fst one)) (fst other) && (fst (snd other) =? 0)).
Definition layer_holds (r c : rational) (ps : list rational) (one : layer) : bool :=
  let (us, ws) := one in
  points_hold r c us && Nat.eqb (List.length ws) (List.length us) &&
  in_turn (fun w w' => beside (fst w) (fst w') && beside (snd w) (snd w')) ws &&
  forallb (fun entry => let '(u, (low, high)) := entry in
    is_place ps u low && is_place ps (phi_r r c u) high && Nat.leb (fst low) (fst high))
    (combine us ws).
Fixpoint layers_hold (r c : rational) (ps : list rational) (layers : list layer) : bool :=
  match layers with
  | [] => true
  | one :: rest => layer_holds r c ps one && layers_hold r c (fst one) rest
  end.

(** ** The functions: at each point an integer for each value, in units *)

Definition pairwise (f : Z -> Z -> Z) (one other : list Z) : list Z :=
  map (fun both => f (fst both) (snd both)) (combine one other).
Definition told_at_place (told : list (list Z)) (w : place) : list Z :=
  let (i, x) := w in
  if fst x =? 0 then nth i told []
  else pairwise (fun a b => a + divide true (fst x * (b - a)) (Zpos (snd x))) (nth i told [])
    (nth (S i) told []).
Definition greatest_within (told : list (list Z)) (w : place * place) : list Z :=
  let (low, high) := w in
  fold_left (pairwise Z.max) (firstn (fst high - fst low) (skipn (S (fst low)) told))
    (pairwise Z.max (told_at_place told low) (told_at_place told high)).

(** ** Soundness *)

Open Scope R_scope.

Lemma lowest_same x : of_rational (lowest x) = of_rational x.
Proof.
  unfold lowest. set (g := rough_divisor _ _). clearbody g.
  destruct (Zpos (snd x) / g)%Z as [|e|e]; try reflexivity.
  destruct (_ && _)%bool eqn:E; [|reflexivity]. apply andb_prop in E. destruct E as [E1 E2].
  apply Z.eqb_eq, (f_equal IZR) in E1, E2. rewrite mult_IZR in E1, E2. unfold of_rational.
  cbn [fst snd]. pose proof (IZR_pos (snd x)). pose proof (IZR_pos e).
  set (z := IZR (fst x / g)) in *. rewrite <- E1, <- E2.
  assert (IZR g <> 0) by (intros E; rewrite E, Rmult_0_r in E2; lra). field. lra.
Qed.

Lemma add_r_spec x y : of_rational (add_r x y) = of_rational x + of_rational y.
Proof.
  unfold add_r. rewrite lowest_same. unfold of_rational. cbn [fst snd].
  rewrite plus_IZR, Pos2Z.inj_mul, !mult_IZR. pose proof (IZR_pos (snd x)).
  pose proof (IZR_pos (snd y)). field. lra.
Qed.

Lemma sub_r_spec x y : of_rational (sub_r x y) = of_rational x - of_rational y.
Proof.
  unfold sub_r. rewrite add_r_spec. unfold of_rational. cbn [fst snd]. rewrite opp_IZR.
  pose proof (IZR_pos (snd y)). pose proof (IZR_pos (snd x)). field. lra.
Qed.

Lemma mul_r_spec x y : of_rational (mul_r x y) = of_rational x * of_rational y.
Proof.
  unfold mul_r. rewrite lowest_same. unfold of_rational. cbn [fst snd].
  rewrite Pos2Z.inj_mul, !mult_IZR. pose proof (IZR_pos (snd x)). pose proof (IZR_pos (snd y)).
  field. lra.
Qed.

Lemma div_r_spec x y : (0 < fst y)%Z -> of_rational (div_r x y) = of_rational x / of_rational y.
Proof.
  intros H. unfold div_r. destruct y as [z e]. cbn [fst snd] in *. destruct z as [|z|z];
    try lia. rewrite lowest_same. unfold of_rational. cbn [fst snd].
  rewrite Pos2Z.inj_mul, !mult_IZR. pose proof (IZR_pos (snd x)). pose proof (IZR_pos e).
  pose proof (IZR_pos z). field. lra.
Qed.

Lemma at_most_r_iff x y : at_most_r x y = true <-> of_rational x <= of_rational y.
Proof.
  unfold at_most_r, of_rational. pose proof (IZR_pos (snd x)). pose proof (IZR_pos (snd y)).
  set (c := IZR (Zpos (snd x))) in *. set (d := IZR (Zpos (snd y))) in *.
  assert (E : forall z, IZR z / c * (c * d) = IZR z * d) by (intros; field; lra).
  assert (E' : forall z, IZR z / d * (c * d) = IZR z * c) by (intros; field; lra).
  split; intros Q.
  - apply Z.leb_le, IZR_le in Q. rewrite !mult_IZR in Q. fold c d in Q.
    apply Rmult_le_reg_r with (c * d); [apply Rmult_lt_0_compat; assumption|]. rewrite E, E'.
    assumption.
  - apply Z.leb_le, le_IZR. rewrite !mult_IZR. fold c d. rewrite <- E, <- E'.
    apply Rmult_le_compat_r; [|assumption]. apply Rlt_le, Rmult_lt_0_compat; assumption.
Qed.

Lemma less_r_sound x y : less_r x y = true -> of_rational x < of_rational y.
Proof.
  unfold less_r. intros H. apply negb_true_iff in H. apply Rnot_le_lt. intros N.
  apply at_most_r_iff in N. congruence.
Qed.

Lemma same_r_sound x y : same_r x y = true -> of_rational x = of_rational y.
Proof.
  unfold same_r. intros H. apply Z.eqb_eq in H.
  apply Rle_antisym; apply at_most_r_iff; apply Z.leb_le; lia.
Qed.

Lemma nought_zero : of_rational nought = 0.
Proof. unfold of_rational. cbn. field. Qed.
Lemma whole_one : of_rational whole = 1.
Proof. unfold of_rational. cbn. field. Qed.

Lemma line_r_spec r c which u : (0 < fst r)%Z ->
  of_rational (line_r r c which u) = line (of_rational r) (of_rational c) which (of_rational u).
Proof.
  intros Hr. destruct which as [|[|which]]; cbn [line_r line].
  - apply whole_one.
  - rewrite add_r_spec, mul_r_spec. reflexivity.
  - rewrite sub_r_spec, div_r_spec, !sub_r_spec, whole_one by assumption. reflexivity.
Qed.

Lemma in_turn_sound {A} (f : A -> A -> bool) l d e : in_turn f l = true -> (S e < List.length
  l)%nat -> f (nth e l d) (nth (S e) l d) = true.
Proof.
  revert e. induction l as [|x l IH]; intros e H He; [cbn in He; lia|]. destruct l as [|y l];
    [cbn in He; lia|]. cbn [in_turn] in H. apply andb_prop in H. destruct H as [H1 H2].
  destruct e as [|e]; [assumption|]. apply (IH e); [assumption|cbn [List.length] in *; lia].
Qed.

(** ** Points *)

Definition point (us : list rational) (k : nat) : R := of_rational (nth k us nought).

Definition points_good (eps : R) (r c : rational) (us : list rational) : Prop :=
  let m := (List.length us - 1)%nat in
  (0 < m)%nat /\ rising_points m (point us) /\ point us 0 = 0 /\ point us m = 1 /\
  forall k t, (k < m)%nat -> 0 <= t <= 1 ->
  approximate eps (of_rational c) (part_way t (point us k) (point us (S k))) <=
  part_way t (of_rational (phi_r r c (nth k us nought)))
    (of_rational (phi_r r c (nth (S k) us nought))).

Lemma points_hold_sound eps r c us : (0 < fst r)%Z -> (0 <= fst c)%Z ->
  exp eps <= of_rational r -> points_hold r c us = true -> points_good eps r c us.
Proof.
  intros Hr Hc He H. unfold points_hold in H. apply andb_prop in H. destruct H as [H H4].
  apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
  apply Nat.leb_le in H1. apply same_r_sound in H2, H3. rewrite nought_zero in H2.
  rewrite whole_one in H3. unfold points_good. set (m := (List.length us - 1)%nat) in *.
  assert (Hturn : forall k, (k < m)%nat ->
    bounds_phi r c (nth k us nought) (nth (S k) us nought) = true)
    by (intros k Hk; apply in_turn_sound; [assumption|lia]).
  assert (Hrise : rising_points m (point us)).
  { intros k Hk. specialize (Hturn k Hk). apply andb_prop in Hturn. apply less_r_sound.
    apply Hturn. }
  split; [lia|]. split; [assumption|]. split; [assumption|]. split; [assumption|].
  intros k t Hk Ht. specialize (Hturn k Hk). apply andb_prop in Hturn. destruct Hturn as [_ Hl].
  apply existsb_exists in Hl. destruct Hl as [which [_ Hl]]. apply andb_prop in Hl.
  destruct Hl as [L1 L2]. apply at_most_r_iff in L1, L2. rewrite line_r_spec in L1, L2
    by assumption.
  assert (Hk0 : 0 <= point us k).
  { rewrite <- H2. apply (rising_le m (point us) 0 k Hrise). lia. }
  pose proof (part_way_between t _ _ Ht (Rlt_le _ _ (Hrise k Hk))).
  assert (Hc0 : 0 <= of_rational c).
  { unfold of_rational. apply Rmult_le_pos; [apply IZR_le; assumption|].
    left. apply Rinv_0_lt_compat, IZR_pos. }
  eapply Rle_trans; [apply (approximate_under eps _ (of_rational r) which); [lra|assumption..]|].
  rewrite line_part_way. apply part_way_mono; assumption.
Qed.

(** ** Values at the points *)

Definition of_value (told : list (list Z)) (a k : nat) : R := IZR (nth a (nth k told []) 0%Z).
Definition vectors (n m : nat) (told : list (list Z)) : Prop :=
  List.length told = m /\ forall k, (k < m)%nat -> List.length (nth k told []) = n.

Lemma pairwise_nth f one other a : List.length one = List.length other ->
  (a < List.length one)%nat -> List.length (pairwise f one other) = List.length one /\
  nth a (pairwise f one other) 0%Z = f (nth a one 0%Z) (nth a other 0%Z).
Proof.
  intros E Ha. unfold pairwise. rewrite map_length, combine_length. split; [lia|].
  rewrite (nth_indep _ 0%Z ((fun both => f (fst both) (snd both)) (0%Z, 0%Z)))
    by (rewrite map_length, combine_length; lia).
  rewrite (map_nth (fun both => f (fst both) (snd both))), combine_nth by assumption.
  reflexivity.
Qed.

Lemma told_at_place_sound n m told i x a : vectors n m told -> (S i < m)%nat -> (a < n)%nat ->
  let z := told_at_place told (i, x) in List.length z = n /\
  part_way (of_rational x) (of_value told a i) (of_value told a (S i)) <= IZR (nth a z 0%Z).
Proof.
  intros [_ Hv] Hi Ha. unfold told_at_place. destruct (Z.eqb_spec (fst x) 0) as [E|_].
  - split; [apply Hv; lia|]. right. unfold part_way, of_rational, of_value. rewrite E. unfold Rdiv.
    ring.
  - pose proof (Hv i ltac:(lia)) as L. pose proof (Hv (S i) Hi) as L'.
    destruct (pairwise_nth (fun a b => (a + divide true (fst x * (b - a)) (Zpos (snd x)))%Z)
      (nth i told []) (nth (S i) told []) a ltac:(congruence) ltac:(lia)) as [L1 ->].
    split; [congruence|]. unfold part_way, of_value, of_rational.
    set (y := nth a (nth i told []) 0%Z). set (z := nth a (nth (S i) told []) 0%Z).
    pose proof (divide_up (fst x * (z - y)) (Zpos (snd x)) ltac:(lia)) as Hd.
    rewrite mult_IZR, minus_IZR in Hd. rewrite plus_IZR. pose proof (IZR_pos (snd x)) as Hp.
    set (d := IZR (Zpos (snd x))) in *. set (q := IZR (divide true _ _)) in *.
    apply Rmult_le_reg_r with d; [assumption|].
    replace (((1 - IZR (fst x) / d) * IZR y + IZR (fst x) / d * IZR z) * d)
      with (IZR y * d + IZR (fst x) * (IZR z - IZR y)) by (field; lra). lra.
Qed.

Lemma fold_max_sound n l z a : (forall y, In y l -> List.length y = n) -> List.length z = n ->
  (a < n)%nat -> let g := fold_left (pairwise Z.max) l z in List.length g = n /\
  (nth a z 0 <= nth a g 0)%Z /\ forall y, In y l -> (nth a y 0 <= nth a g 0)%Z.
Proof.
  intros Hl Hz Ha. revert z Hz. induction l as [|x l IH]; intros z Hz.
  - cbn. split; [assumption|]. split; [lia|]. intros y [].
  - cbn [fold_left]. pose proof (Hl x (or_introl eq_refl)) as Lx.
    destruct (pairwise_nth Z.max z x a ltac:(congruence) ltac:(lia)) as [L E].
    destruct (IH (fun y Hy => Hl y (or_intror Hy)) (pairwise Z.max z x) ltac:(congruence))
      as [G1 [G2 G3]]. split; [assumption|]. rewrite E in G2. split; [lia|].
    intros y [<-|Hy]; [lia|auto].
Qed.

Lemma nth_slice {A} (l : list A) i c k d : (k < c)%nat ->
  nth k (firstn c (skipn i l)) d = nth (i + k) l d.
Proof.
  intros Hk. transitivity (nth k (skipn i l) d).
  - generalize (skipn i l). clear l. revert k Hk. induction c as [|c IH]; intros k Hk l; [lia|].
    destruct l as [|x l]; [destruct k; reflexivity|]. destruct k as [|k]; [reflexivity|].
    cbn [firstn nth]. apply IH. lia.
  - clear Hk. revert l. induction i as [|i IH]; intros l; [reflexivity|].
    destruct l as [|x l]; [destruct k; reflexivity|].
    cbn [skipn plus nth]. apply IH.
Qed.

Lemma greatest_within_sound n m told i h x y a : vectors n m told -> (i <= h)%nat ->
  (S h < m)%nat -> (a < n)%nat -> let z := greatest_within told ((i, x), (h, y)) in
  List.length z = n /\
  part_way (of_rational x) (of_value told a i) (of_value told a (S i)) <= IZR (nth a z 0%Z) /\
  part_way (of_rational y) (of_value told a h) (of_value told a (S h)) <= IZR (nth a z 0%Z) /\
  forall l, (i < l <= h)%nat -> of_value told a l <= IZR (nth a z 0%Z).
Proof.
  intros Hv Hih Hh Ha. unfold greatest_within. cbn [fst].
  destruct (told_at_place_sound n m told i x a Hv ltac:(lia) Ha) as [L1 B1].
  destruct (told_at_place_sound n m told h y a Hv ltac:(lia) Ha) as [L2 B2].
  set (one := told_at_place told (i, x)) in *. set (other := told_at_place told (h, y)) in *.
  destruct (pairwise_nth Z.max one other a ltac:(congruence) ltac:(lia)) as [L E].
  destruct Hv as [Lm Hv]. set (inner := firstn (h - i) (skipn (S i) told)).
  assert (Li : List.length inner = (h - i)%nat)
    by (unfold inner; rewrite firstn_length, skipn_length; lia).
  assert (Hin : forall k, (k < h - i)%nat -> nth k inner [] = nth (S i + k) told [])
    by (intros; apply nth_slice; assumption).
  destruct (fold_max_sound n inner (pairwise Z.max one other) a) as [G1 [G2 G3]];
    [|congruence|assumption|].
  { intros v Hi. destruct (In_nth _ _ [] Hi) as [k [Hk <-]]. rewrite Hin by lia. apply Hv. lia. }
  rewrite E in G2. split; [assumption|]. split; [|split].
  - eapply Rle_trans; [exact B1|]. apply IZR_le. lia.
  - eapply Rle_trans; [exact B2|]. apply IZR_le. lia.
  - intros l Hl. apply IZR_le, G3. replace l with (S i + (l - S i))%nat by lia.
    rewrite <- Hin by lia. apply nth_In. lia.
Qed.

(** ** One release farther *)

(** F is at most what is linear between the integers at the points, in units. *)
Definition told_above (n : nat) (unit : Z) (us : list rational) (told : list (list Z)) (F : nat ->
  R -> R) : Prop :=
  vectors n (List.length us) told /\
  forall a, (a < n)%nat -> under_line (List.length us - 1) (point us) (of_value told a)
    (fun w => F a w * IZR unit).

Lemma is_place_sound ps u i x : is_place ps u (i, x) = true -> (S i < List.length ps)%nat /\
  0 <= of_rational x <= 1 /\
  of_rational u = part_way (of_rational x) (point ps i) (point ps (S i)).
Proof.
  unfold is_place. intros H. apply andb_prop in H. destruct H as [H H4].
  apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
  apply Nat.ltb_lt in H1. apply Z.leb_le, IZR_le in H2, H3. apply same_r_sound in H4.
  rewrite add_r_spec, mul_r_spec, sub_r_spec in H4. split; [assumption|].
  pose proof (IZR_pos (snd x)) as Hp. split; [split|].
  - unfold of_rational. apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat.
    assumption.
  - unfold of_rational. apply Rmult_le_reg_r with (IZR (Zpos (snd x))); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - rewrite <- H4. unfold part_way, point. ring.
Qed.

Lemma beside_sound i x h y : beside (i, x) (h, y) = true -> 0 <= of_rational y <= 1 ->
  exists z, 0 <= z <= 1 /\ (h = i \/ h = S i /\ z = 1) /\
  forall g : nat -> R, part_way z (g i) (g (S i)) = part_way (of_rational y) (g h) (g (S h)).
Proof.
  unfold beside. cbn [fst snd]. intros H Hy. apply orb_prop in H. destruct H as [H|H].
  - apply Nat.eqb_eq in H. subst h. exists (of_rational y). auto.
  - apply andb_prop in H. destruct H as [H1 H2]. apply Nat.eqb_eq in H1. apply Z.eqb_eq in H2.
    subst h. exists 1. split; [lra|]. split; [auto|]. intros g. unfold part_way, of_rational.
    rewrite H2. unfold Rdiv. ring.
Qed.

Lemma some_part eps r c us u : points_good eps r c us -> 0 <= u <= 1 -> exists e t,
  (e < List.length us - 1)%nat /\ 0 <= t <= 1 /\ u = part_way t (point us e) (point us (S e)).
Proof.
  intros [Hm [Hrise [H0 [H1 _]]]] Hu.
  destruct (some_strip (point us) 0 (List.length us - 1) u Hm ltac:(lra)) as [e [He Hs]].
  destruct (on_strip _ _ u (Hrise e ltac:(lia)) Hs) as [t [Ht E]]. exists e, t. split; [lia|auto].
Qed.

Lemma layer_sound n unit eps r c ps us ws told F : (0 < fst r)%Z -> (0 <= fst c)%Z ->
  exp eps <= of_rational r -> points_good eps r c ps -> layer_holds r c ps (us, ws) = true ->
  told_above n unit ps told F ->
  let V := map (greatest_within told) ws in
  points_good eps r c us /\ ((0 < n)%nat -> vectors n (List.length us) V) /\
  forall a e t w, (a < n)%nat -> (e < List.length us - 1)%nat -> 0 <= t <= 1 ->
  part_way t (point us e) (point us (S e)) <= w ->
  w <= approximate eps (of_rational c) (part_way t (point us e) (point us (S e))) ->
  F a w * IZR unit <= part_way t (of_value V a e) (of_value V a (S e)).
Proof.
  intros Hr Hc He Hps H [Hv HF] V. unfold layer_holds in H.
  apply andb_prop in H. destruct H as [H Hall]. apply andb_prop in H. destruct H as [H Hturn].
  apply andb_prop in H. destruct H as [Hus Lws]. apply Nat.eqb_eq in Lws.
  pose proof (points_hold_sound eps r c us Hr Hc He Hus) as Gus.
  set (none := ((0%nat, nought), (0%nat, nought)) : place * place).
  assert (Hentry : forall e, (e < List.length us)%nat ->
    let '((i, x), (h, y)) := nth e ws none in (i <= h)%nat /\
    is_place ps (nth e us nought) (i, x) = true /\
    is_place ps (phi_r r c (nth e us nought)) (h, y) = true).
  { intros e Hlt. rewrite forallb_forall in Hall.
    specialize (Hall _ (in_combine_nth us ws e nought none Hlt ltac:(congruence))).
    cbv beta iota in Hall. destruct (nth e ws none) as [[i x] [h y]].
    apply andb_prop in Hall. destruct Hall as [Hall H3]. apply andb_prop in Hall.
    destruct Hall as [H1 H2]. cbn [fst] in H3. apply Nat.leb_le in H3. auto. }
  assert (EV : forall e, (e < List.length us)%nat -> nth e V [] = greatest_within told (nth e ws
    none)).
  { intros e Hlt. unfold V. rewrite (nth_indep _ [] (greatest_within told none))
      by (rewrite map_length; lia). apply map_nth. }
  split; [assumption|]. split.
  - intros Hn. split; [unfold V; rewrite map_length; assumption|]. intros e Hlt. rewrite EV
      by assumption. specialize (Hentry e Hlt). destruct (nth e ws none) as [[i x] [h y]].
    destruct Hentry as [H1 [_ H3]]. apply is_place_sound in H3. destruct H3 as [H3 _].
    apply (greatest_within_sound n (List.length ps) told i h x y 0 Hv H1 H3 Hn).
  - intros a e t w Ha Hlt Ht Hlow Hhigh.
    pose proof (proj1 (proj2 Hps)) as Hrise.
    pose proof (Hentry e ltac:(lia)) as E1. pose proof (Hentry (S e) ltac:(lia)) as E2.
    pose proof (in_turn_sound _ ws none e Hturn ltac:(lia)) as Hb. cbv beta in Hb.
    unfold of_value. rewrite !EV by lia.
    destruct (nth e ws none) as [[i x] [h y]]. destruct (nth (S e) ws none) as [[i' x'] [h' y']].
    cbn [fst snd] in Hb. apply andb_prop in Hb. destruct Hb as [B1 B2].
    destruct E1 as [Iih [Px Py]]. destruct E2 as [Iih' [Px' Py']].
    apply is_place_sound in Px, Py, Px', Py'. destruct Px as [_ [X01 Ex]].
    destruct Py as [Hh [Y01 Ey]]. destruct Px' as [_ [X01' Ex']].
    destruct Py' as [Hh' [Y01' Ey']].
    destruct (beside_sound i x i' x' B1 X01') as [z [Z01 [Cz Ez]]].
    destruct (beside_sound h y h' y' B2 Y01') as [z' [Z01' [Cz' Ez']]].
    destruct (greatest_within_sound n _ told i h x y a Hv Iih Hh Ha) as [_ [W1 [W2 W3]]].
    destruct (greatest_within_sound n _ told i' h' x' y' a Hv Iih' Hh' Ha) as [_ [W1' [W2' W3']]].
    rewrite <- Ez in W1'. rewrite <- Ez' in W2'.
    apply (above_between (List.length ps - 1) (point ps) (of_value told a)
      (fun w => F a w * IZR unit) i h (of_rational x) z (of_rational y) z'); auto; [lia| | |].
    + intros l Hl. split; [auto|]. destruct (Nat.le_gt_cases l i') as [Hle|Hgt].
      * destruct Cz as [->|[-> ->]]; [lia|]. replace l with (S i) by lia.
        replace (of_value told a (S i)) with (part_way 1 (of_value told a i)
          (of_value told a (S i))) by (unfold part_way; ring). assumption.
      * apply W3'. destruct Cz' as [->|[-> _]]; lia.
    + rewrite part_way_twice, (Ez (point ps)), <- Ex, <- Ex'. exact Hlow.
    + rewrite part_way_twice, (Ez' (point ps)), <- Ey, <- Ey'.
      eapply Rle_trans; [exact Hhigh|]. apply Gus; assumption.
Qed.
