(** The check from above in doubles: what its roundings lose is added, so that what it computes is
    at or above the sweep, and its test implies that of Above.v; of L, in singles as well, that the
    sums which it tests bound L. That the Python code takes these steps is tested. Doubles are real
    numbers here, each operation with a relative error of at most u; where a product may underflow,
    that is said. *)

From Coq Require Import List Permutation.
From TPL Require Export Above.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

(** y is x rounded, with relative error at most u: for doubles, u is 2^-53. *)
Definition rounded (u x y : R) : Prop := Rabs (y - x) <= u * Rabs x.

(** y is the sum of some numbers, added in any order, by twos: each may be rounded before, as a
    product is that is not fused with an addition. *)
Inductive added_up (u : R) : list R -> R -> Prop :=
  | added_one x y : rounded u x y -> added_up u [x] y
  | added_both l l' y y' z : added_up u l y -> added_up u l' y' -> rounded u (y + y') z ->
      added_up u (l ++ l') z
  | added_otherwise l l' y : Permutation l l' -> added_up u l y -> added_up u l' y.

Definition terms (n : nat) (x : nat -> R) : list R := map x (seq 0 n).

(** z is at or above the sum of the products of f and p, both of n entries: s is that sum, t that
    of the products of the sizes of f and p, and v, which may underflow, is (n + 6) u t. *)
Definition added_above (n : nat) (u : R) (f p : nat -> R) (z : R) : Prop := exists s t v,
  added_up u (terms n (fun b => f b * p b)) s /\
  added_up u (terms n (fun b => Rabs (f b) * p b)) t /\
  Rabs (v - (INR n + 6) * u * t) <= u * t / 8 /\ rounded u (s + v) z.

(** f is c + E max(c, 0), raised where it is near to 0, so that w is small beside it: what is lost
    where the product underflows. *)
Definition formed (u w E c f : R) : Prop :=
  c <= 0 /\ (f = c \/ f = 0) \/
  0 < c /\ exists m y, 0 <= m /\ Rabs (m - E * c) <= u * (E * c) + w /\ rounded u (c + m) y /\
    y <= f /\ w <= u * u * f.

(** z is at or above p - q - x q: p' and q' are p and q, rounded. *)
Definition started (u w p q x z : R) : Prop := exists p' q' d m g r a b h, rounded u p p' /\
  rounded u q q' /\ rounded u (p' - q') d /\ 0 <= m /\ Rabs (m - x * q') <= u * (x * q') + w /\
  rounded u (d - m) g /\ rounded u (Rabs d + 3 * u) r /\ rounded u (r + m) a /\
  rounded u (5 * u * a) b /\ rounded u (b + 2 * u * q') h /\ rounded u (h + g) z.

(** What is tested of two values, as in Above.v for lambda = 1 + x, but computed in doubles: Bd are
    the matrices, rounded, and f s is what is computed after the release at time s. *)
Definition tested_in_doubles (n : nat) (u w : R) (B Bd : nat -> nat -> nat -> R) (eps : nat -> R)
  (t j k : nat) (x : R) : Prop :=
  match t with
  | O => 0 <= x
  | S p => exists last up f E scale,
    (last <= p)%nat /\
    (forall s, (last < s <= p)%nat -> exp (eps s) <= 1 + E s) /\
    (forall a, (a < n)%nat -> started u w (B p j a) (B p k a) x (up p a)) /\
    (forall s a, (last < s <= p)%nat -> (a < n)%nat -> 0 <= E s /\
       formed u w (E s) (up s a) (f s a)) /\
    (forall s, 0 < scale s) /\
    (forall s a, (last <= s < p)%nat -> (a < n)%nat -> exists z,
       added_above n u (f (S s)) (fun b => Bd s b a) z /\ scale s * z <= up s a) /\
    ((forall a, (a < n)%nat -> up last a <= 0) \/
     (forall a b odds, (a < n)%nat -> (b < n)%nat -> a <> b ->
        greatest_before n B eps last a b odds -> exp (eps last) * odds <= 1 + E last) /\
     (forall a, (a < n)%nat -> 0 <= E last /\ formed u w (E last) (up last a) (f last a)) /\
     exists v, added_above n u (f last) (fun _ => 1) v /\ v <= 0)
  end.

(** g is the greater of q and (1 + y) d, computed in doubles, of which U is the precision, and
    then made a number of precision u, which loses at most w more where it underflows. *)
Definition greater_of (U u w q d y g : R) : Prop := exists q' d' y' o r a b, rounded U q q' /\
  rounded U d d' /\ rounded U y y' /\ rounded U (1 + y') o /\ rounded U (o * d') r /\
  Rabs (a - q') <= u * Rabs q' + w /\ Rabs (b - r) <= u * Rabs r + w /\ 0 <= g /\ g = Rmax a b.

(** What is tested of two rows, so that the sum of (q - d - y d)^+ is at most [most]: s is the sum
    of what is the greater, v is what is added for roundings. *)
Definition tested_sum (n : nat) (U u w : R) (q d : nat -> R) (y most : R) : Prop :=
  exists g s v y' o m z z',
  let lost := (INR n + 8) * u * (2 + y) + 4 * U * (2 + y + most) in
  (forall j, (j < n)%nat -> greater_of U u w (q j) (d j) y (g j)) /\ added_up u (terms n g) s /\
  Rabs (v - lost) <= 8 * U * lost /\ rounded U (s + v) z /\
  rounded U y y' /\ rounded U (1 + y') o /\ rounded U most m /\ rounded U (m + o) z' /\ z <= z'.

(** The same in whole numbers: Q and X are at most the parts of S q and of S (1 + y) d, or of S if
    that is less; least is at most the sum of Q. *)
Definition tested_whole (n : nat) (U S : R) (q d : nat -> R) (y most : R) : Prop :=
  exists (Q X : nat -> R) least m a b c limit,
  (forall j, (j < n)%nat -> exists q' z, rounded U (q j) q' /\ rounded U (S * q') z /\ Q j <= z) /\
  (forall j, (j < n)%nat -> exists d' y' o r z, rounded U (d j) d' /\ rounded U y y' /\
     rounded U (1 + y') o /\ rounded U (o * d') r /\ rounded U (S * Rmin r 1) z /\ X j <= z) /\
  0 <= least <= sum n Q /\ rounded U most m /\ rounded U (m - 1) a /\ rounded U (a - 16 * U) b /\
  rounded U (S * b) c /\ rounded U (c + least) limit /\
  sum n (fun j => positive_part (Q j - X j)) <= limit.

(** What is tested where [most] is 0: that each entry of q is at most (1 + y) d by itself. *)
Definition tested_entries (n : nat) (U : R) (q d : nat -> R) (y : R) : Prop :=
  forall j, (j < n)%nat -> exists q' d' y' o r z, rounded U (q j) q' /\ rounded U (d j) d' /\
  rounded U y y' /\ rounded U (1 + y') o /\ rounded U (o * d') r /\
  rounded U (r * (1 - 8 * U)) z /\ q' <= z.

(** Any of these. *)
Definition tested_rows (n : nat) (U u w S : R) (q d : nat -> R) (y most : R) : Prop :=
  tested_sum n U u w q d y most \/ tested_whole n U S q d y most \/
  most = 0 /\ tested_entries n U q d y.

(** The precisions, for n states. *)
Definition precise (n : nat) (U u w : R) : Prop :=
  0 <= U <= u /\ u <= / 1024 /\ (INR n + 8) * U <= / 16 /\ 0 <= w /\ INR n * w <= u.

(** ** Roundings *)

Lemma rounded_between u x y : 0 <= u -> rounded u x y -> x - u * Rabs x <= y <= x + u * Rabs x.
Proof.
  intros Hu H. unfold rounded in H. pose proof (Rle_abs (y - x)).
  pose proof (Rle_abs (- (y - x))) as K. rewrite Rabs_Ropp in K. lra.
Qed.

Lemma size_around x : - Rabs x <= x <= Rabs x.
Proof.
  pose proof (Rle_abs x). pose proof (Rle_abs (- x)). rewrite Rabs_Ropp in *. lra.
Qed.

(** What is at or above 0 is at least nearly what it is rounded to. *)
Lemma rounded_least u x y : 0 <= u -> 0 <= x -> rounded u x y -> (1 - u) * x <= y.
Proof.
  intros Hu Hx H. apply (rounded_between u _ _ Hu) in H. rewrite (Rabs_pos_eq x) in H by
    assumption.
  lra.
Qed.

(** The bound in terms of the rounded number. *)
Lemma rounded_back u x y : 0 <= u <= / 1024 -> rounded u x y ->
  Rabs (x - y) <= (u + 2 * (u * u)) * Rabs y.
Proof.
  intros Hu H. unfold rounded in H. pose proof (Rabs_pos x). pose proof (Rabs_pos y).
  assert (Hy : Rabs x <= Rabs y + u * Rabs x).
  { replace x with (y - (y - x)) at 1 by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_Ropp. lra. }
  rewrite Rabs_minus_sym. eapply Rle_trans; [exact H|].
  assert (Rabs x <= (1 + 2 * u) * Rabs y).
  { assert (0 <= Rabs x * (u * (1 - 2 * u))) by (repeat apply Rmult_le_pos; lra).
    assert ((1 + 2 * u) * ((1 - u) * Rabs x) <= (1 + 2 * u) * Rabs y) by
      (apply Rmult_le_compat_l; lra). lra. }
  replace ((u + 2 * (u * u)) * Rabs y) with (u * ((1 + 2 * u) * Rabs y)) by ring.
  apply Rmult_le_compat_l; lra.
Qed.

Definition list_sum (l : list R) : R := fold_right Rplus 0 l.
Definition list_size (l : list R) : R := list_sum (map Rabs l).

Lemma total_app l l' : list_sum (l ++ l') = list_sum l + list_sum l'.
Proof. induction l; simpl; [ring|]. unfold list_sum in *. simpl. rewrite IHl. ring. Qed.

Lemma total_permuted l l' : Permutation l l' -> list_sum l = list_sum l'.
Proof. induction 1; unfold list_sum in *; simpl; lra. Qed.

Lemma size_app l l' : list_size (l ++ l') = list_size l + list_size l'.
Proof. unfold list_size. rewrite map_app. apply total_app. Qed.

Lemma total_size l : Rabs (list_sum l) <= list_size l.
Proof.
  induction l as [|x l IH]; unfold list_size, list_sum in *; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma size_nonneg l : 0 <= list_size l.
Proof. eapply Rle_trans; [apply Rabs_pos|apply total_size]. Qed.

Lemma power_one u m : 0 <= u -> 1 <= (1 + u) ^ m.
Proof. intros. apply pow_R1_Rle. lra. Qed.

Lemma added_some u l y : added_up u l y -> (1 <= length l)%nat.
Proof.
  induction 1 as [| |l l' y P H IH]; simpl; [lia|rewrite app_length; lia|].
  rewrite <- (Permutation_length P). assumption.
Qed.

(** A sum of m numbers loses at most the part (1 + u)^m - 1 of their sizes, in any order. *)
Lemma added_error u l y : 0 <= u -> added_up u l y ->
  Rabs (y - list_sum l) <= ((1 + u) ^ length l - 1) * list_size l.
Proof.
  intros Hu. induction 1 as [x y H|l l' y y' z H IH H' IH' Hz|l l' y P H IH].
  - unfold list_size, list_sum; simpl. rewrite !Rplus_0_r, Rmult_1_r. unfold rounded in H.
    replace (1 + u - 1) with u by ring. assumption.
  - rewrite total_app, size_app, app_length.
    pose proof (added_some u l y H) as L. pose proof (added_some u l' y' H') as L'.
    assert (G : forall a b, (1 <= b)%nat -> (1 + u) * (1 + u) ^ a <= (1 + u) ^ (a + b)).
    { intros a b Hb. change ((1 + u) * (1 + u) ^ a) with ((1 + u) ^ S a).
      apply Rle_pow; [lra|lia]. }
    pose proof (G (length l) (length l') L') as G1. pose proof (G (length l') (length l) L) as G2.
    rewrite (Nat.add_comm (length l') (length l)) in G2.
    pose proof (size_nonneg l). pose proof (size_nonneg l').
    pose proof (total_size l). pose proof (total_size l').
    set (g := (1 + u) ^ length l) in *. set (g' := (1 + u) ^ length l') in *.
    set (h := (1 + u) ^ (length l + length l')) in *.
    assert (Y : Rabs y <= g * list_size l).
    { replace y with ((y - list_sum l) + list_sum l) by ring. eapply Rle_trans; [apply
      Rabs_triang|].
      lra. }
    assert (Y' : Rabs y' <= g' * list_size l').
    { replace y' with ((y' - list_sum l') + list_sum l') by ring.
      eapply Rle_trans; [apply Rabs_triang|]. lra. }
    unfold rounded in Hz. pose proof (Rabs_triang y y').
    replace (z - (list_sum l + list_sum l')) with ((z - (y + y')) + ((y - list_sum l) + (y' -
      list_sum l')))
      by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    pose proof (Rabs_triang (y - list_sum l) (y' - list_sum l')).
    assert (u * Rabs (y + y') <= u * (g * list_size l + g' * list_size l')) by (apply
      Rmult_le_compat_l;
      lra).
    assert ((1 + u) * g * list_size l <= h * list_size l) by (apply Rmult_le_compat_r; assumption).
    assert ((1 + u) * g' * list_size l' <= h * list_size l') by (apply Rmult_le_compat_r;
      assumption).
    lra.
  - rewrite <- (total_permuted l l'), <- (Permutation_length P) by assumption.
    replace (list_size l') with (list_size l); [assumption|]. apply total_permuted,
      Permutation_map, P.
Qed.

Lemma power_above u m : 0 <= u -> INR m * u <= 1 -> (1 - INR m * u) * (1 + u) ^ m <= 1.
Proof.
  intros Hu. induction m as [|m IH]; intros H; [simpl; lra|].
  rewrite S_INR in *. pose proof (pos_INR m). assert (INR m * u <= 1) by nra.
  specialize (IH ltac:(assumption)). pose proof (pow_le (1 + u) m ltac:(lra)). simpl.
  assert ((1 - (INR m + 1) * u) * (1 + u) <= 1 - INR m * u) by nra. nra.
Qed.

(** With few enough numbers that is hardly more than m u. *)
Lemma power_part u m : 0 <= u -> INR m * INR m * u <= / 16 -> (1 <= m)%nat ->
  (1 + u) ^ m - 1 <= (INR m + / 8) * u.
Proof.
  intros Hu H Hm. apply le_INR in Hm. simpl in Hm.
  assert (INR m * u <= / 16) by nra. pose proof (power_above u m Hu ltac:(lra)) as P.
  set (k := INR m) in *. set (g := (1 + u) ^ m) in *.
  assert ((1 - k * u) * (1 + (k + / 8) * u) >= 1).
  { replace ((1 - k * u) * (1 + (k + / 8) * u)) with (1 + u * (/ 8 - k * k * u - k * u / 8)) by
    field.
    assert (0 <= / 8 - k * k * u - k * u / 8) by lra. nra. }
  nra.
Qed.

Lemma total_terms n x : list_sum (terms n x) = sum n x.
Proof.
  unfold terms. induction n; [reflexivity|]. rewrite seq_S, map_app, total_app, IHn. simpl.
  unfold list_sum; simpl. ring.
Qed.

Lemma size_terms n x : list_size (terms n x) = sum n (fun j => Rabs (x j)).
Proof. unfold list_size, terms. rewrite map_map. apply total_terms. Qed.

(** ** What is computed is above *)

Definition small (n : nat) (u : R) : Prop :=
  0 <= u <= / 1024 /\ INR n * INR n * u <= / 16 /\ (1 <= n)%nat.

Lemma added_above_more n u f p z : small n u -> (forall b, (b < n)%nat -> 0 <= p b) ->
  added_above n u f p z ->
  sum n (fun b => f b * p b) + 4 * u * sum n (fun b => Rabs (f b) * p b) <= z.
Proof.
  intros [Hu [Hn H1]] Hp [s [t [v [Hs [Ht [Hv Hz]]]]]].
  pose proof (added_error u _ _ (proj1 Hu) Hs) as Es. pose proof (added_error u _ _ (proj1 Hu) Ht)
    as Et.
  rewrite !total_terms, !size_terms in Es, Et. unfold terms in Es, Et.
  rewrite !map_length, !seq_length in Es, Et.
  pose proof (power_part u n (proj1 Hu) Hn H1) as Hg.
  assert (Hg0 : 0 <= (1 + u) ^ n - 1) by (pose proof (power_one u n (proj1 Hu)); lra).
  rewrite (sum_ext n (fun j => Rabs (f j * p j)) (fun b => Rabs (f b) * p b)) in Es by
    (intros b Hb; rewrite Rabs_mult, (Rabs_pos_eq (p b)) by auto; reflexivity).
  rewrite (sum_ext n (fun j => Rabs (Rabs (f j) * p j)) (fun b => Rabs (f b) * p b)) in Et by
    (intros b Hb; rewrite Rabs_mult, Rabs_Rabsolu, (Rabs_pos_eq (p b)) by auto; reflexivity).
  assert (HT : 0 <= sum n (fun b => Rabs (f b) * p b)).
  { apply sum_nonneg. intros b Hb. apply Rmult_le_pos; [apply Rabs_pos|auto]. }
  assert (HS : Rabs (sum n (fun b => f b * p b)) <= sum n (fun b => Rabs (f b) * p b)).
  { rewrite <- total_terms. eapply Rle_trans; [apply total_size|]. rewrite size_terms.
    apply sum_le. intros b Hb. rewrite Rabs_mult, (Rabs_pos_eq (p b)) by auto. lra. }
  set (S := sum n (fun b => f b * p b)) in *. set (T := sum n (fun b => Rabs (f b) * p b)) in *.
  set (g := (1 + u) ^ n - 1) in *. apply le_INR in H1. simpl in H1. set (k := INR n) in *.
  assert (Hku : k * u <= / 16).
  { assert (0 <= k * u) by (apply Rmult_le_pos; lra).
    assert (0 <= (k - 1) * (k * u)) by (apply Rmult_le_pos; lra). lra. }
  assert (G : 0 <= g <= / 8) by (split; lra).
  apply rounded_between in Hz; [|lra].
  pose proof (size_around (s - S)). pose proof (size_around (t - T)). pose proof (size_around (v -
    (k + 6) * u * t)).
  assert (T1 : (1 - g) * T <= t <= (1 + g) * T) by (split; lra).
  assert (T0 : 0 <= t) by nra.
  assert (S1 : Rabs s <= (1 + g) * T).
  { replace s with ((s - S) + S) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (UT : 0 <= u * t) by nra.
  assert (V1 : Rabs v <= (k + 7) * (u * t)).
  { apply Rabs_le. split; nra. }
  pose proof (Rabs_triang s v).
  assert (U1 : u * Rabs (s + v) <= u * ((1 + g) * T + (k + 7) * (u * t))) by
    (apply Rmult_le_compat_l; lra).
  assert (A : (k + 6 - / 8) * (u * t) <= v) by lra.
  (* all in terms of T *)
  set (q := u * T). assert (Q : 0 <= q) by (unfold q; nra).
  assert (A1 : (1 - g) * q <= u * t <= (1 + g) * q) by (unfold q; split; nra).
  assert (A2 : g * T <= (k + / 8) * q) by (unfold q; nra).
  assert (A3 : u * ((1 + g) * T) = (1 + g) * q) by (unfold q; ring).
  assert (A4 : (k + 6 - / 8) * ((1 - g) * q) <= (k + 6 - / 8) * (u * t)) by
    (apply Rmult_le_compat_l; lra).
  assert (A5 : u * ((k + 7) * (u * t)) <= / 10 * q).
  { replace (u * ((k + 7) * (u * t))) with ((k * u + 7 * u) * (u * t)) by ring.
    assert ((k * u + 7 * u) * (u * t) <= (k * u + 7 * u) * ((1 + g) * q)) by
      (apply Rmult_le_compat_l; nra).
    assert ((k * u + 7 * u) * ((1 + g) * q) <= (/ 14) * ((9 / 8) * q)); [|lra].
    apply Rmult_le_compat; [nra|nra|lra|apply Rmult_le_compat_r; lra]. }
  assert (A6 : g * (k + 7) <= / 2 + / 10).
  { assert (k * k * u * 8 <= / 2) by lra. assert (g * (k + 7) <= (k + / 8) * u * (k + 7)) by
      (apply Rmult_le_compat_r; lra). nra. }
  assert (A7 : g * (k + 7) * q <= (/ 2 + / 10) * q) by (apply Rmult_le_compat_r; lra).
  replace (4 * u * T) with (4 * q) by (unfold q; ring). nra.
Qed.

Lemma formed_above u w e E c0 b c f : 0 <= u <= / 1024 -> 0 <= E -> 0 <= e <= 1 + E ->
  c0 b <= c -> formed u w E c f -> Phi e c0 b <= f + (2 * u + 10 * (u * u)) * Rabs f.
Proof.
  intros Hu HE He Hc H. unfold Phi. set (x := c0 b) in *.
  assert (U2 : 0 <= u * u <= / 1024 * u) by (split; nra).
  destruct H as [[H [->| ->]]|[H [m [y [Hm [Hp [Hy [Hf Hw]]]]]]]].
  - destruct (Rlt_dec 0 x); [lra|]. pose proof (Rabs_pos c).
    assert (0 <= (2 * u + 10 * (u * u)) * Rabs c) by (apply Rmult_le_pos; lra). lra.
  - destruct (Rlt_dec 0 x); [lra|]. rewrite Rabs_R0. lra.
  - assert (P : 0 <= E * c) by (apply Rmult_le_pos; lra). pose proof (size_around (m - E * c)).
    apply (rounded_least u (c + m) y) in Hy; [|lra|lra].
    assert (F : (if Rlt_dec 0 x then e * x else x) <= c + E * c).
    { destruct (Rlt_dec 0 x); [|lra]. assert (e * x <= (1 + E) * c) by
        (apply Rmult_le_compat; lra). lra. }
    set (t := c + E * c) in *. assert (T : (1 - u) * t - w <= c + m).
    { assert (0 <= u * c) by (apply Rmult_le_pos; lra). unfold t. lra. }
    assert (Y : (1 - u) * ((1 - u) * t - w) <= y).
    { eapply Rle_trans; [|exact Hy]. apply Rmult_le_compat_l; lra. }
    assert (T0 : 0 <= t) by (unfold t; lra). assert (0 <= u * u * t) by (apply Rmult_le_pos; lra).
    assert (Y0 : 0 <= y) by (eapply Rle_trans; [|exact Hy]; apply Rmult_le_pos; lra).
    assert (W : (1 - u) * w <= u * u * f).
    { destruct (Rle_dec 0 w); [|assert (0 <= u * u * f) by (apply Rmult_le_pos; lra);
        assert (0 <= (1 - u) * - w) by (apply Rmult_le_pos; lra); lra].
      assert (0 <= u * w) by (apply Rmult_le_pos; lra). lra. }
    assert (A : (1 - 2 * u) * t <= (1 + u * u) * f) by lra.
    assert (Q : (1 + u * u) * f <= (1 - 2 * u) * ((1 + (2 * u + 10 * (u * u))) * f)).
    { assert (0 <= (5 * (u * u) - 20 * (u * (u * u))) * f); [|lra].
      apply Rmult_le_pos; [|lra]. assert (u * (u * u) <= / 1024 * (u * u)) by
        (apply Rmult_le_compat_r; lra). lra. }
    rewrite (Rabs_pos_eq f) by lra. apply Rle_trans with t; [exact F|].
    apply Rmult_le_reg_l with (1 - 2 * u); lra.
Qed.

(** One step of what doubles compute. *)
Lemma onward_above n u w e E P Pd c0 c f z a : small n u -> 0 <= E -> 0 <= e <= 1 + E ->
  (forall b, (b < n)%nat -> 0 <= P b a /\ rounded u (P b a) (Pd b a)) ->
  (forall b, (b < n)%nat -> c0 b <= c b /\ formed u w E (c b) (f b)) ->
  added_above n u f (fun b => Pd b a) z -> back n P (Phi e c0) a <= z.
Proof.
  intros Hs HE He HP Hc Hz. pose proof Hs as [Hu _].
  assert (D : forall b, (b < n)%nat -> 0 <= Pd b a /\
    Rabs (P b a - Pd b a) <= (u + 2 * (u * u)) * Pd b a).
  { intros b Hb. destruct (HP b Hb) as [H0 H].
    pose proof (rounded_between u _ _ (proj1 Hu) H) as H'. rewrite (Rabs_pos_eq (P b a)) in H'
      by assumption.
    assert (Hd : 0 <= Pd b a) by nra. split; [assumption|].
    pose proof (rounded_back u _ _ Hu H) as K. rewrite (Rabs_pos_eq (Pd b a)) in K by assumption.
    assumption. }
  eapply Rle_trans; [|apply (added_above_more n u f (fun b => Pd b a) z); auto].
  2: { intros b Hb. apply D. assumption. }
  unfold back. rewrite <- sum_scale, <- sum_plus. apply sum_le. intros b Hb.
  destruct (HP b Hb) as [P0 _]. destruct (D b Hb) as [D0 D1]. destruct (Hc b Hb) as [C F].
  pose proof (formed_above u w e E c0 b (c b) (f b) Hu HE He C F) as A.
  set (k := 2 * u + 10 * (u * u)) in *. pose proof (Rabs_pos (f b)). pose proof (size_around (f
    b)).
  pose proof (size_around (P b a - Pd b a)).
  assert (U2 : 0 <= u * u <= / 1024 * u) by (split; nra).
  assert (0 <= k <= / 2) by (unfold k; split; lra).
  assert (P b a * Phi e c0 b <= P b a * (f b + k * Rabs (f b))) by (apply Rmult_le_compat_l; lra).
  assert (X : P b a * (f b + k * Rabs (f b)) <= f b * Pd b a + 4 * u * (Rabs (f b) * Pd b a)).
  { set (v := Rabs (f b)) in *. set (d := P b a - Pd b a) in *.
    replace (P b a) with (Pd b a + d) by (unfold d; ring).
    assert (d * (f b + k * v) <= (u + 2 * (u * u)) * Pd b a * ((1 + k) * v)).
    { eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. apply Rmult_le_compat; auto using
        Rabs_pos. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, (Rabs_pos_eq k) by
          lra.
      unfold v. rewrite Rabs_Rabsolu. lra. }
    assert (W : 0 <= v * Pd b a) by (apply Rmult_le_pos; assumption).
    assert (K : k + (u + 2 * (u * u)) * (1 + k) <= 4 * u) by (unfold k; nra).
    assert ((k + (u + 2 * (u * u)) * (1 + k)) * (v * Pd b a) <= 4 * u * (v * Pd b a)) by
      (apply Rmult_le_compat_r; assumption). lra. }
  lra.
Qed.

Lemma end_above n u w e E c0 c f v : small n u -> 0 <= E -> 0 <= e <= 1 + E ->
  (forall b, (b < n)%nat -> c0 b <= c b /\ formed u w E (c b) (f b)) ->
  added_above n u f (fun _ => 1) v -> sum n (Phi e c0) <= v.
Proof.
  intros Hs HE He Hc Hw. pose proof (proj1 Hs) as Hu.
  rewrite (sum_ext n (Phi e c0) (fun b => 1 * Phi e c0 b)) by (intros; ring).
  apply (onward_above n u w e E (fun _ _ => 1) (fun _ _ => 1) c0 c f v 0); auto.
  intros b _. split; [lra|]. unfold rounded. rewrite Rminus_diag_eq, Rabs_R0, Rabs_R1; lra.
Qed.


(** What the start adds covers what its roundings lose; s is the size of what is rounded. *)
Lemma start_covers u s q r m a b h : 0 <= u <= / 1024 -> 0 <= s -> 0 <= m <= s -> 0 <= q <= 1 + u
  ->
  (1 - u) * (s - m + 3 * u) <= r -> (1 - u) * (r + m) <= a -> (1 - u) * (5 * u * a) <= b ->
  (1 - u) * (b + 2 * u * q) <= h ->
  3.1 * (u * s) + 2 * (u + 2 * (u * u)) * q + u * ((1 + u) * s) + 2 * (u * u) <= (1 - u) * h.
Proof.
  intros [U0 U1] Hs Hm Hq Hr Ha Hb Hh. assert (U2 : 0 <= u * u <= / 1024 * u) by (split; nra).
  assert (Us : 0 <= u * s) by (apply Rmult_le_pos; assumption).
  assert (A : (1 - 2 * u) * (s + 3 * u) <= a).
  { assert ((1 - u) * ((1 - u) * (s - m + 3 * u) + m) <= (1 - u) * (r + m)) by
      (apply Rmult_le_compat_l; lra).
    assert (0 <= u * m) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - u) * (u * m)) by (apply Rmult_le_pos; lra).
    assert (0 <= u * u * (s + 3 * u)) by (apply Rmult_le_pos; lra).
    lra. }
  assert (A5 : 5 * u * (0.998 * (s + 3 * u)) <= 5 * u * a).
  { apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|exact A]. apply Rmult_le_compat_r; lra. }
  assert (B : 0.999 * (5 * u * a) <= b).
  { eapply Rle_trans; [|exact Hb]. apply Rmult_le_compat_r; lra. }
  assert (H : (1 - 2 * u) * (b + 2 * u * q) <= (1 - u) * h).
  { assert ((1 - u) * ((1 - u) * (b + 2 * u * q)) <= (1 - u) * h) by (apply Rmult_le_compat_l;
    lra).
    assert (0 <= u * u * (b + 2 * u * q)); [|lra].
    apply Rmult_le_pos; [lra|]. assert (0 <= u * q) by (apply Rmult_le_pos; lra). lra. }
  assert (Uq : 0 <= u * u * q <= u * u * (1 + u)) by
    (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
  assert (U3 : u * (u * u) <= / 1024 * (u * u)) by (apply Rmult_le_compat_r; lra).
  assert (Ub : 0.998 * b <= (1 - 2 * u) * b) by (apply Rmult_le_compat_r; lra).
  assert (Us2 : u * (u * s) <= / 1024 * (u * s)) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.
Lemma started_above u w p q x z : 0 <= u <= / 1024 -> 0 <= w <= u * u -> 0 <= p ->
  0 <= q <= 1 -> 0 <= x ->
  started u w p q x z -> p - (1 + x) * q <= z.
Proof.
  intros Hu Hw Hp Hq Hx (p' & q' & d & m & g & r & a & b & h & H1 & H2 & H3 & M & H4 & H8 & H5 &
    H6 & H7 & H9 & H10). destruct Hu as [U0 U1].
  assert (U2 : 0 <= u * u <= / 1024 * u) by (split; nra).
  pose proof (rounded_back u _ _ (conj U0 U1) H1) as B1.
  pose proof (rounded_back u _ _ (conj U0 U1) H2) as B2.
  pose proof (rounded_back u _ _ (conj U0 U1) H3) as B3.
  pose proof (rounded_back u _ _ (conj U0 U1) H8) as B8.
  apply (rounded_between u _ _ U0) in H1, H2, H3, H8, H10.
  rewrite (Rabs_pos_eq p) in H1 by assumption. rewrite (Rabs_pos_eq q) in H2 by tauto.
  assert (P' : 0 <= p') by nra. assert (Q' : 0 <= q' <= 1 + u) by (split; nra).
  assert (XQ : 0 <= x * q') by (apply Rmult_le_pos; tauto).
  rewrite (Rabs_pos_eq p') in B1 by assumption. rewrite (Rabs_pos_eq q') in B2 by tauto.
  pose proof (Rabs_pos d) as D. pose proof (size_around d). pose proof (size_around (p - p')).
  pose proof (size_around (q - q')). pose proof (size_around (p' - q' - d)). pose proof
    (size_around (m - x * q')).
  pose proof (size_around (d - m - g)).
  set (k := u + 2 * (u * u)) in *. assert (K : u <= k <= 1.01 * u) by (unfold k; split; lra).
  assert (UK : 0 <= u * k <= 1.01 * (u * u)).
  { split; [apply Rmult_le_pos; lra|]. assert (u * k <= u * (1.01 * u)) by
      (apply Rmult_le_compat_l; lra). lra. }
  assert (KK : 0 <= k * k <= 1.03 * (u * u)).
  { split; [apply Rmult_le_pos; lra|]. assert (k * k <= (1.01 * u) * k) by
      (apply Rmult_le_compat_r; lra). lra. }
  assert (B4 : x * q' <= (1 + k) * (m + w)).
  { assert ((1 + k) * ((1 - u) * (x * q')) <= (1 + k) * (m + w)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= (u * u - 2 * u * (u * u)) * (x * q')); [|unfold k in *; lra].
    apply Rmult_le_pos; [|assumption]. assert (2 * u * (u * u) <= 1 * (u * u)) by
      (apply Rmult_le_compat_r; lra). lra. }
  assert (M4 : m - x * q' <= k * m + 1.5 * w).
  { assert (u * (x * q') <= u * ((1 + k) * (m + w))) by (apply Rmult_le_compat_l; lra).
    assert (u * (1 + k) * m <= k * m) by (apply Rmult_le_compat_r; [lra|unfold k in *; lra]).
    assert (u * (1 + k) * w <= / 2 * w) by (apply Rmult_le_compat_r; lra). lra. }
  assert (S0 : 0 <= Rabs d + m) by lra. set (s := Rabs d + m) in *.
  assert (G : Rabs g <= (1 + u) * s).
  { assert (Rabs (d - m) <= s).
    { unfold s. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, (Rabs_pos_eq m); lra. }
    assert (u * Rabs (d - m) <= u * s) by (apply Rmult_le_compat_l; assumption).
    pose proof (size_around (d - m)). apply Rabs_le. split; lra. }
  assert (US : 0 <= u * s) by (apply Rmult_le_pos; assumption).
  assert (UUS : 0 <= u * (u * s) <= / 1024 * (u * s)) by
    (split; [apply Rmult_le_pos|apply Rmult_le_compat_r]; assumption).
  assert (KS : k * ((1 + u) * s) <= 1.02 * (u * s)).
  { assert (k * ((1 + u) * s) <= 1.01 * u * ((1 + u) * s)) by
      (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]). lra. }
  assert (Above : p - (1 + x) * q <= g + 3.1 * (u * s) + 2 * k * q' + 2 * (u * u)).
  { assert (X1 : x * (q' - q) <= k * ((1 + k) * m) + / 2 * w).
    { assert (x * (q' - q) <= x * (k * q')) by (apply Rmult_le_compat_l; lra).
      assert (k * (x * q') <= k * ((1 + k) * (m + w))) by (apply Rmult_le_compat_l; lra).
      assert (k * (1 + k) * w <= / 2 * w) by (apply Rmult_le_compat_r; lra). lra. }
    assert (X2 : k * p' <= k * ((1 + k) * Rabs d + q')) by (apply Rmult_le_compat_l; lra).
    assert (X3 : k * Rabs g <= k * ((1 + u) * s)) by (apply Rmult_le_compat_l; lra).
    assert (X4 : (2 * k + k * k) * s <= 2.05 * (u * s)).
    { assert ((2 * k + k * k) * s <= 2.05 * u * s) by (apply Rmult_le_compat_r; lra). lra. }
    assert (k * Rabs d <= k * s) by (apply Rmult_le_compat_l; unfold s; lra).
    assert (E : k * ((1 + k) * m) + k * ((1 + k) * Rabs d) = (k + k * k) * s) by (unfold s; ring).
    assert (k * m + k * Rabs d = k * s) by (unfold s; ring).
    clear H1 H2 H3 H4 H8 H10 B4. lra. }
  assert (Hr : 0 <= Rabs d + 3 * u) by lra. apply (rounded_least u _ _ U0 Hr) in H5.
  assert (Rr : 0 <= r) by (eapply Rle_trans; [|exact H5]; apply Rmult_le_pos; lra).
  assert (Ha : 0 <= r + m) by lra. apply (rounded_least u _ _ U0 Ha) in H6.
  assert (A : 0 <= a) by (eapply Rle_trans; [|exact H6]; apply Rmult_le_pos; lra).
  assert (Hb : 0 <= 5 * u * a) by (apply Rmult_le_pos; lra). apply (rounded_least u _ _ U0 Hb) in
    H7.
  assert (B : 0 <= b) by (eapply Rle_trans; [|exact H7]; apply Rmult_le_pos; lra).
  assert (Hh : 0 <= b + 2 * u * q') by (assert (0 <= u * q') by (apply Rmult_le_pos; lra); lra).
  apply (rounded_least u _ _ U0 Hh) in H9.
  assert (Ph : 0 <= h) by (eapply Rle_trans; [|exact H9]; apply Rmult_le_pos; lra).
  assert (C : 3.1 * (u * s) + 2 * k * q' + u * ((1 + u) * s) + 2 * (u * u) <= (1 - u) * h).
  { unfold k. apply (start_covers u s q' r m a b h); try assumption; try lra; try (split;
    assumption).
    - unfold s. split; lra.
    - replace (s - m + 3 * u) with (Rabs d + 3 * u) by (unfold s; ring). assumption. }
  pose proof (Rabs_triang h g) as T. rewrite (Rabs_pos_eq h) in T by assumption.
  assert (u * Rabs (h + g) <= u * (h + (1 + u) * s)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(** ** The test in doubles *)

(** What is tested in doubles implies what is tested of the real numbers. *)
Theorem doubles_test n u w B Bd eps t j k x : small n u -> 0 <= w <= u * u -> (forall t,
  stochastic n (B t)) -> (forall s a b, rounded u (B s a b) (Bd s a b)) -> (j < n)%nat ->
  (k < n)%nat -> 0 <= x -> tested_in_doubles n u w B Bd eps t j k x ->
  tested n B eps t j k (1 + x).
Proof.
  intros Hs Hw HB HBd Hj Hk Hx H. destruct t as [|p]; [simpl in *; lra|].
  destruct H as [last [up [f [E [scale [Hlast [Hexp [Hup [Hf [Hscale [Hstep Hend]]]]]]]]]]].
  assert (Hone : forall s a b, (a < n)%nat -> (b < n)%nat -> 0 <= B s a b <= 1).
  { intros s a b Ha Hb. destruct (HB s a Ha) as [H0 H1]. split; [auto|]. rewrite <- H1.
    apply (sum_term n (B s a)); assumption. }
  exists last, up, (fun s => 1 + E s), scale.
  split; [assumption|]. split; [assumption|]. split.
  { intros a Ha. unfold difference. apply (started_above u w); auto; try apply Hs; apply Hone;
    auto. }
  split; [assumption|]. split.
  - intros s a Hrange Ha. destruct (Hstep s a Hrange Ha) as [z [Hz Hle]].
    eapply Rle_trans; [|exact Hle]. apply Rmult_le_compat_l; [left; apply Hscale|].
    destruct (Hf (S s) a ltac:(lia) Ha) as [HE _].
    apply (onward_above n u w (1 + E (S s)) (E (S s)) (B s) (Bd s) (up (S s)) (up (S s)) (f (S
      s)));
      auto; try lra.
    + intros b Hb. split; [apply Hone; assumption|apply HBd].
    + intros b Hb. split; [lra|]. apply Hf; [lia|assumption].
  - destruct Hend as [H|[Hodds [Hl [v [Hv Hv0]]]]]; [left; exact H|right].
    split; [exact Hodds|]. eapply Rle_trans; [|exact Hv0]. destruct (Hl j Hj) as [HE _].
    apply (end_above n u w (1 + E last) (E last) (up last) (up last) (f last)); auto; try lra.
    intros b Hb. split; [lra|]. apply Hl. assumption.
Qed.

(** So it bounds the greatest ratio, B_t(j,k). *)
Theorem doubles_bound n u w B Bd eps t j k x odds : small n u -> 0 <= w <= u * u -> (forall t,
  stochastic n (B t)) -> (forall t, 0 <= eps t) -> (forall s a b, rounded u (B s a b) (Bd s a b))
    ->
  (j < n)%nat -> (k < n)%nat -> j <> k -> 0 <= x -> tested_in_doubles n u w B Bd eps t j k x ->
  greatest_before n B eps t j k odds -> odds <= 1 + x.
Proof.
  intros Hs Hw HB He HBd Hj Hk Hjk Hx H. apply tested_bound; auto.
  apply (doubles_test n u w B Bd); assumption.
Qed.

(** ** The check of L *)

Lemma power_least u m : 0 <= u <= 1 -> 1 - INR m * u <= (1 - u) ^ m /\ 0 <= (1 - u) ^ m <= 1.
Proof.
  intros Hu. induction m as [|m [IH [I0 I1]]]; [simpl; repeat split; lra|].
  rewrite S_INR. simpl.
  pose proof (pos_INR m). assert (0 <= u * (1 - (1 - u) ^ m)) by (apply Rmult_le_pos; lra).
  assert (0 <= (1 - u) * (1 - u) ^ m) by (apply Rmult_le_pos; lra).
  assert (0 <= u * (1 - u) ^ m) by (apply Rmult_le_pos; lra). repeat split; lra.
Qed.

(** What is not negative loses less. *)
Lemma added_least u l y : 0 <= u <= 1 -> added_up u l y -> (forall x, In x l -> 0 <= x) ->
  0 <= list_sum l /\ (1 - u) ^ length l * list_sum l <= y.
Proof.
  intros Hu. induction 1 as [x y H|l l' y y' z H IH H' IH' Hz|l l' y P H IH]; intros Hl.
  - pose proof (Hl x ltac:(left; reflexivity)) as Hx. unfold list_sum. simpl.
    apply (rounded_least u x y (proj1 Hu) Hx) in H. lra.
  - destruct IH as [S1 B1]; [intros; apply Hl, in_or_app; auto|].
    destruct IH' as [S2 B2]; [intros; apply Hl, in_or_app; auto|].
    rewrite total_app, app_length. pose proof (added_some u l y H) as L.
    pose proof (added_some u l' y' H') as L'.
    destruct (power_least u (length l) Hu) as [_ P]. destruct (power_least u (length l') Hu) as
      [_ P'].
    assert (G : forall a b, (1 <= b)%nat -> (1 - u) ^ (a + b) <= (1 - u) * (1 - u) ^ a).
    { intros a b Hb. rewrite pow_add. destruct b as [|b]; [lia|]. simpl.
      destruct (power_least u b Hu) as [_ Q]. destruct (power_least u a Hu) as [_ Q'].
      assert (0 <= (1 - u) * (1 - u) ^ a) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 - u) * (1 - u) ^ a * (1 - (1 - u) ^ b)) by (apply Rmult_le_pos; lra). lra. }
    pose proof (G (length l) (length l') L') as G1. pose proof (G (length l') (length l) L) as G2.
    rewrite (Nat.add_comm (length l') (length l)) in G2.
    assert (Y : 0 <= (1 - u) ^ length l * list_sum l) by (apply Rmult_le_pos; lra).
    assert (Y' : 0 <= (1 - u) ^ length l' * list_sum l') by (apply Rmult_le_pos; lra).
    apply (rounded_least u (y + y') z (proj1 Hu)) in Hz; [|lra]. split; [lra|].
    eapply Rle_trans; [|exact Hz]. rewrite Rmult_plus_distr_l.
    apply Rle_trans with ((1 - u) * (1 - u) ^ length l * list_sum l + (1 - u) * (1 - u) ^
      length l' * list_sum l').
    + apply Rplus_le_compat; apply Rmult_le_compat_r; assumption.
    + assert ((1 - u) * ((1 - u) ^ length l * list_sum l + (1 - u) ^ length l' * list_sum l') <=
        (1 - u) * (y + y')) by (apply Rmult_le_compat_l; lra). lra.
  - rewrite <- (total_permuted l l'), <- (Permutation_length P) by assumption. apply IH.
    intros x Hx. apply Hl. apply (Permutation_in x P Hx).
Qed.

Lemma greater_least U u w q d y g : 0 <= U <= u -> u <= / 1024 -> 0 <= q -> 0 <= d -> 0 <= y ->
  greater_of U u w q d y g -> (1 - 5 * u) * Rmax q ((1 + y) * d) - w <= g.
Proof.
  intros HU Hu Hq Hd Hy (q' & d' & y' & o & r & a & b & H1 & H2 & H3 & H4 & H5 & H6 & H7 & _ & ->).
  assert (U0 : 0 <= U) by apply HU.
  apply (rounded_least U q q' U0 Hq) in H1. apply (rounded_least U d d' U0 Hd) in H2.
  apply (rounded_least U y y' U0 Hy) in H3.
  assert (Q : 0 <= q') by (eapply Rle_trans; [|exact H1]; apply Rmult_le_pos; lra).
  assert (D : 0 <= (1 - U) * d) by (apply Rmult_le_pos; lra).
  assert (Y : (1 - U) * (1 + y) <= 1 + y') by lra.
  assert (Y0 : 0 <= (1 - U) * (1 + y)) by (apply Rmult_le_pos; lra).
  apply (rounded_least U (1 + y') o U0 ltac:(lra)) in H4.
  assert (O : (1 - U) * ((1 - U) * (1 + y)) <= o).
  { eapply Rle_trans; [|exact H4]. apply Rmult_le_compat_l; lra. }
  assert (O0 : 0 <= (1 - U) * ((1 - U) * (1 + y))) by (apply Rmult_le_pos; lra).
  assert (P : (1 - U) * ((1 - U) * (1 + y)) * ((1 - U) * d) <= o * d') by
    (apply Rmult_le_compat; lra).
  apply (rounded_least U (o * d') r U0 ltac:(apply Rmult_le_pos; lra)) in H5.
  assert (R : (1 - U) ^ 4 * ((1 + y) * d) <= r).
  { eapply Rle_trans; [|exact H5]. replace ((1 - U) ^ 4 * ((1 + y) * d)) with ((1 - U) * ((1 - U) *
      ((1 - U) * (1 + y)) * ((1 - U) * d))) by ring. apply Rmult_le_compat_l; lra. }
  destruct (power_least u 4 ltac:(lra)) as [_ P4]. destruct (power_least u 5 ltac:(lra)) as [P5 _].
  assert (M : (1 - u) ^ 4 <= (1 - U) ^ 4) by (apply pow_incr; lra). simpl INR in P5.
  assert (X : 0 <= (1 + y) * d) by (apply Rmult_le_pos; lra).
  assert (R0 : (1 - u) ^ 4 * ((1 + y) * d) <= r).
  { eapply Rle_trans; [|exact R]. apply Rmult_le_compat_r; lra. }
  assert (R1 : 0 <= r) by (eapply Rle_trans; [|exact R0]; apply Rmult_le_pos; lra).
  rewrite (Rabs_pos_eq q') in H6 by assumption. rewrite (Rabs_pos_eq r) in H7 by assumption.
  pose proof (size_around (a - q')). pose proof (size_around (b - r)).
  pose proof (Rmax_l a b). pose proof (Rmax_r a b).
  unfold Rmax at 1. destruct (Rle_dec q ((1 + y) * d)).
  - assert ((1 - u) ^ 5 * ((1 + y) * d) <= (1 - u) * r).
    { change ((1 - u) ^ 5) with ((1 - u) * (1 - u) ^ 4). rewrite Rmult_assoc.
      apply Rmult_le_compat_l; lra. }
    assert ((1 - 5 * u) * ((1 + y) * d) <= (1 - u) ^ 5 * ((1 + y) * d)) by
      (apply Rmult_le_compat_r; lra). lra.
  - assert ((1 - u) * ((1 - U) * q) <= (1 - u) * q') by (apply Rmult_le_compat_l; lra).
    assert (0 <= U * q) by (apply Rmult_le_pos; lra). assert (0 <= u * (U * q)) by
      (apply Rmult_le_pos; lra). assert (U * q <= u * q) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** What is computed is at or above the sum of the greater ones, but for what is added. *)
Lemma tested_greater n U u w q d y most : precise n U u w -> distribution n q ->
  distribution n d -> 0 <= y -> 0 <= most <= 1 -> tested_sum n U u w q d y most ->
  sum n (fun j => Rmax (q j) ((1 + y) * d j)) <= 1 + y + most.
Proof.
  intros [HU [Hu [HnU [Hw Hnw]]]] [Hq Eq] [Hd Ed] Hy Hm
    (g & s & v & y' & o & m & z & z' & Hg & Hs & Hv & Hz & H1 & H2 & H3 & H4 & H5).
  set (S := sum n (fun j => Rmax (q j) ((1 + y) * d j))).
  assert (Hmax : forall j, (j < n)%nat -> 0 <= Rmax (q j) ((1 + y) * d j) <= q j + (1 + y) * d j).
  { intros j Hj. specialize (Hq j Hj). specialize (Hd j Hj).
    assert (0 <= (1 + y) * d j) by (apply Rmult_le_pos; lra).
    unfold Rmax. destruct (Rle_dec _ _); lra. }
  assert (S0 : 0 <= S) by (apply sum_nonneg; intros; apply Hmax; assumption).
  assert (S2 : S <= 2 + y).
  { apply Rle_trans with (sum n (fun j => q j + (1 + y) * d j)).
    - apply sum_le. intros; apply Hmax; assumption.
    - rewrite sum_plus, sum_scale. change (sum n q + (1 + y) * sum n d <= 2 + y).
      rewrite Eq, Ed. lra. }
  assert (G : (1 - 5 * u) * S - u <= sum n g).
  { apply Rle_trans with (sum n (fun j => (1 - 5 * u) * Rmax (q j) ((1 + y) * d j) - w)).
    - rewrite sum_minus, sum_scale. fold S.
      assert (C : sum n (fun _ => w) = INR n * w).
      { clear. induction n as [|n IH]; [simpl; ring|]. rewrite S_INR. simpl. rewrite IH. ring. }
      rewrite C. lra.
    - apply sum_le. intros j Hj. apply (greater_least U u w _ _ y); auto. }
  destruct (added_least u (terms n g) s) as [G0 Hsum]; [lra|exact Hs| |].
  { intros x Hx. unfold terms in Hx. apply in_map_iff in Hx. destruct Hx as [j [<- Hj]].
    apply in_seq in Hj. destruct (Hg j ltac:(lia)) as (? & ? & ? & ? & ? & ? & ? & F). apply F. }
  rewrite total_terms in *. unfold terms in Hsum. rewrite map_length, seq_length in Hsum.
  destruct (power_least u n ltac:(lra)) as [P1 P2]. set (r := (1 - u) ^ n) in *.
  pose proof (pos_INR n) as N0. set (k := INR n) in *.
  (* the sum *)
  assert (T : S - (k + 6) * (u * (2 + y)) <= s).
  { assert (r * ((1 - 5 * u) * S - u) <= r * sum n g) by (apply Rmult_le_compat_l; lra).
    assert (X0 : 0 <= (1 - 5 * u) * S) by (apply Rmult_le_pos; lra).
    assert ((1 - k * u) * ((1 - 5 * u) * S) <= r * ((1 - 5 * u) * S)) by
      (apply Rmult_le_compat_r; lra).
    assert (r * u <= 1 * u) by (apply Rmult_le_compat_r; lra).
    assert (0 <= k * u) by (apply Rmult_le_pos; lra).
    assert (0 <= k * u * (5 * u * S)) by (repeat apply Rmult_le_pos; lra).
    assert ((k * u + 5 * u) * S <= (k * u + 5 * u) * (2 + y)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= u * (1 + y)) by (apply Rmult_le_pos; lra). lra. }
  (* what is added *)
  set (lost := (k + 8) * u * (2 + y) + 4 * U * (2 + y + most)) in *.
  assert (Z0 : 0 <= u * (2 + y)) by (apply Rmult_le_pos; lra).
  assert (L0 : 0 <= lost).
  { unfold lost. assert (0 <= (k + 8) * (u * (2 + y))) by (apply Rmult_le_pos; lra).
    assert (0 <= U * (2 + y + most)) by (apply Rmult_le_pos; lra). lra. }
  pose proof (size_around (v - lost)) as V.
  (* the comparison *)
  set (M := 1 + y + most) in *.
  apply (rounded_between U) in H1, H2, H3, H4; try lra.
  rewrite (Rabs_pos_eq y) in H1 by assumption. rewrite (Rabs_pos_eq most) in H3 by lra.
  assert (Y' : 0 <= y') by (assert (0 <= (1 - U) * y) by (apply Rmult_le_pos; lra); lra).
  rewrite (Rabs_pos_eq (1 + y')) in H2 by lra.
  assert (O : 0 <= o <= (1 + U) * ((1 + U) * (1 + y))).
  { assert (0 <= (1 - U) * (1 + y')) by (apply Rmult_le_pos; lra). split; [lra|].
    assert ((1 + U) * (1 + y') <= (1 + U) * ((1 + U) * (1 + y))) by
      (apply Rmult_le_compat_l; lra). lra. }
  assert (M0 : 0 <= m <= (1 + U) * ((1 + U) * most)).
  { assert (0 <= (1 - U) * most) by (apply Rmult_le_pos; lra). split; [lra|].
    assert (0 <= U * ((1 + U) * most)) by (repeat apply Rmult_le_pos; lra). lra. }
  rewrite (Rabs_pos_eq (m + o)) in H4 by lra.
  assert (Z' : z' <= (1 + U) * ((1 + U) * ((1 + U) * M))).
  { assert ((1 + U) * (m + o) <= (1 + U) * ((1 + U) * ((1 + U) * M))) by
      (apply Rmult_le_compat_l; [lra|unfold M; lra]). lra. }
  assert (MB : 0 <= M <= 2 + y) by (unfold M; lra).
  assert (UU : 0 <= U * U <= / 1024 * u).
  { split; [apply Rmult_le_pos; lra|]. assert (U * U <= u * u) by (apply Rmult_le_compat; lra).
    assert (u * u <= / 1024 * u) by (apply Rmult_le_compat_r; lra). lra. }
  assert (UM : 0 <= U * U * M <= / 1024 * (u * (2 + y))).
  { split; [apply Rmult_le_pos; lra|]. replace (/ 1024 * (u * (2 + y))) with
      (/ 1024 * u * (2 + y)) by ring. apply Rmult_le_compat; lra. }
  destruct (Rle_dec (s + v) ((1 + 4 * U + 10 * (U * U)) * M)) as [B|B].
  - assert (KU : U * ((k + 8) * (u * (2 + y))) <= / 16 * (u * (2 + y))).
    { replace (U * ((k + 8) * (u * (2 + y)))) with ((k + 8) * U * (u * (2 + y))) by ring.
      apply Rmult_le_compat_r; lra. }
    assert (U2 : U * U * (2 + y + most) <= 1.5 * / 1024 * (u * (2 + y))).
    { assert (U * U * (2 + y + most) <= / 1024 * u * (1.5 * (2 + y))) by
        (apply Rmult_le_compat; lra). lra. }
    assert (V1 : (1 - 8 * U) * lost <= v) by lra.
    replace ((1 - 8 * U) * lost) with ((k + 8) * (u * (2 + y)) + 4 * U * (2 + y + most) -
      8 * (U * ((k + 8) * (u * (2 + y)))) - 32 * (U * U * (2 + y + most))) in V1 by
      (unfold lost; ring).
    assert (0 <= U * (1 + y)) by (apply Rmult_le_pos; lra).
    assert (4 * U * M = 4 * U * (2 + y + most) - 4 * U) by (unfold M; ring). lra.
  - exfalso. assert (C0 : 0 <= (1 + 4 * U + 10 * (U * U)) * M) by (apply Rmult_le_pos; lra).
    apply (rounded_least U (s + v) z ltac:(lra) ltac:(lra)) in Hz.
    assert ((1 - U) * ((1 + 4 * U + 10 * (U * U)) * M) < (1 - U) * (s + v)) by
      (apply Rmult_lt_compat_l; lra).
    assert (0 <= (3 - 11 * U) * (U * U * M)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma greater_order q d x : 0 <= d -> positive_part (q - (1 + x) * d) = Rmax q ((1 + x) * d) -
  (1 + x) * d.
Proof. intros H. unfold positive_part, Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra. Qed.

(** What is computed of (1 + y) d, as of all entries. *)
Lemma scaled_between U d y d' y' o r : 0 <= U <= / 1024 -> 0 <= d -> 0 <= y -> rounded U d d' ->
  rounded U y y' -> rounded U (1 + y') o -> rounded U (o * d') r ->
  0 <= r <= (1 + U) ^ 4 * ((1 + y) * d).
Proof.
  intros HU Hd Hy H1 H2 H3 H4. apply (rounded_between U) in H1, H2, H3, H4; try lra.
  rewrite (Rabs_pos_eq d) in H1 by assumption. rewrite (Rabs_pos_eq y) in H2 by assumption.
  assert (D : 0 <= d' <= (1 + U) * d).
  { assert (0 <= (1 - U) * d) by (apply Rmult_le_pos; lra). lra. }
  assert (Y : 0 <= y' <= (1 + U) * y).
  { assert (0 <= (1 - U) * y) by (apply Rmult_le_pos; lra). lra. }
  rewrite (Rabs_pos_eq (1 + y')) in H3 by lra.
  assert (O : 0 <= o <= (1 + U) * ((1 + U) * (1 + y))).
  { assert (0 <= (1 - U) * (1 + y')) by (apply Rmult_le_pos; lra).
    assert ((1 + U) * (1 + y') <= (1 + U) * ((1 + U) * (1 + y))) by
      (apply Rmult_le_compat_l; lra). lra. }
  assert (P : 0 <= o * d' <= (1 + U) * ((1 + U) * (1 + y)) * ((1 + U) * d)).
  { split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra]. }
  rewrite (Rabs_pos_eq (o * d')) in H4 by lra.
  assert (0 <= (1 - U) * (o * d')) by (apply Rmult_le_pos; lra). split; [lra|].
  assert ((1 + U) * (o * d') <= (1 + U) * ((1 + U) * ((1 + U) * (1 + y)) * ((1 + U) * d))) by
    (apply Rmult_le_compat_l; lra).
  replace ((1 + U) ^ 4 * ((1 + y) * d)) with ((1 + U) * ((1 + U) * ((1 + U) * (1 + y)) *
    ((1 + U) * d))) by ring. lra.
Qed.

(** No power up to the sixth of 1 + U is much greater than it is to first order. *)
Lemma power_most U k : 0 <= U <= / 1024 -> (k <= 6)%nat ->
  1 <= (1 + U) ^ k <= 1 + (INR k + / 32) * U.
Proof.
  intros HU Hk. assert (UU : 0 <= U * U <= / 1024 * U).
  { split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]. }
  assert (G : forall c, 0 <= c <= 7 -> 0 <= c * (U * U) <= c * / 1024 * U).
  { intros c Hc. split; [apply Rmult_le_pos; lra|]. replace (c * / 1024 * U) with
      (c * (/ 1024 * U)) by ring. apply Rmult_le_compat_l; lra. }
  assert (I : forall i, (i <= 6)%nat -> 1 <= (1 + U) ^ i <= 1 + (INR i + INR i / 192) * U).
  { induction i as [|i IH]; intros Hi; [simpl; lra|]. specialize (IH ltac:(lia)).
    rewrite S_INR. simpl pow. assert (J : 0 <= INR i <= 5).
    { split; [apply pos_INR|]. replace 5 with (INR 5) by (simpl; lra). apply le_INR. lia. }
    pose proof (G (INR i + INR i / 192) ltac:(lra)) as X.
    assert (Z : (INR i + INR i / 192) * / 1024 * U <= / 192 * U) by (apply Rmult_le_compat_r; lra).
    assert (0 <= U * ((1 + U) ^ i - 1)) by (apply Rmult_le_pos; lra).
    assert ((1 + U) * (1 + U) ^ i <= (1 + U) * (1 + (INR i + INR i / 192) * U)) by
      (apply Rmult_le_compat_l; lra). lra. }
  specialize (I k Hk). assert (INR k <= 6).
  { replace 6 with (INR 6) by (simpl; lra). apply le_INR. exact Hk. }
  assert (INR k / 192 * U <= / 32 * U) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** What is tested in whole numbers bounds the sum. *)
Lemma whole_test n U S q d y most : 0 <= U <= / 1024 -> 0 < S -> distribution n q ->
  distribution n d -> 0 <= y -> 0 <= most <= 1 -> tested_whole n U S q d y most ->
  sum n (fun j => positive_part (q j - (1 + y) * d j)) <= most.
Proof.
  intros HU HS [Hq Eq] [Hd _] Hy Hm (Q & X & least & m & a & b & c & limit & HQ & HX & Hl & H1 &
    H2 & H3 & H4 & H5 & H).
  destruct (power_most U 2 HU ltac:(lia)) as [_ P2]. destruct (power_most U 5 HU ltac:(lia)) as
    [_ P5]. simpl INR in P2, P5. set (U2 := (1 + U) ^ 2) in *. set (U5 := (1 + U) ^ 5) in *.
  assert (SU : 0 <= S * U) by (apply Rmult_le_pos; lra).
  assert (Qmost : forall j, (j < n)%nat -> Q j <= S * (U2 * q j)).
  { intros j Hj. destruct (HQ j Hj) as (q' & z & R1 & R2 & Hz). specialize (Hq j Hj).
    apply (rounded_between U) in R1, R2; try lra. rewrite (Rabs_pos_eq (q j)) in R1 by exact Hq.
    assert (0 <= q') by (assert (0 <= (1 - U) * q j) by (apply Rmult_le_pos; lra); lra).
    assert (0 <= S * q') by (apply Rmult_le_pos; lra).
    rewrite (Rabs_pos_eq (S * q')) in R2 by assumption.
    assert (S * ((1 + U) * q') <= S * ((1 + U) * ((1 + U) * q j))).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
    unfold U2. simpl. lra. }
  assert (T : S * sum n (fun j => positive_part (q j - (1 + y) * d j)) <=
    sum n (fun j => positive_part (Q j - X j)) + ((U5 - 1) + U2) * S - sum n Q).
  { replace (((U5 - 1) + U2) * S) with (((U5 - 1) + U2) * S * sum n q) by (rewrite Eq; ring).
    rewrite <- !sum_scale, <- sum_plus, <- sum_minus. apply sum_le. intros j Hj.
    specialize (Qmost j Hj). pose proof (positive_part_nonneg (Q j - X j)).
    pose proof (positive_part_above (Q j - X j)). specialize (Hq j Hj). specialize (Hd j Hj).
    assert (V0 : 0 <= (U5 - 1) * (S * q j)).
    { apply Rmult_le_pos; [|apply Rmult_le_pos; lra].
      destruct (power_most U 5 HU ltac:(lia)). unfold U5. lra. }
    assert (V1 : 0 <= (U2 - 1) * (S * q j)).
    { apply Rmult_le_pos; [|apply Rmult_le_pos; lra].
      destruct (power_most U 2 HU ltac:(lia)). unfold U2. lra. }
    unfold positive_part at 1. unfold Rmax. destruct (Rle_dec 0 (q j - (1 + y) * d j)) as [G|G].
    - destruct (HX j Hj) as (d' & y' & o & r & z & R1 & R2 & R3 & R4 & R5 & Hz).
      pose proof (scaled_between U _ _ _ _ _ _ HU Hd Hy R1 R2 R3 R4) as [Hr0 Hr].
      apply (rounded_between U) in R5; [|lra].
      assert (M : 0 <= Rmin r 1 <= r) by (split; [apply Rmin_glb; lra|apply Rmin_l]).
      assert (0 <= S * Rmin r 1) by (apply Rmult_le_pos; lra).
      rewrite (Rabs_pos_eq (S * Rmin r 1)) in R5 by assumption.
      assert (S * ((1 + U) * Rmin r 1) <= S * ((1 + U) * ((1 + U) ^ 4 * ((1 + y) * d j)))).
      { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
      assert (Z : S * ((1 + U) * ((1 + U) ^ 4 * ((1 + y) * d j))) = S * (U5 * ((1 + y) * d j))) by
        (unfold U5; ring).
      assert (S * ((U5 - 1) * ((1 + y) * d j)) <= S * ((U5 - 1) * q j)).
      { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [|lra].
        destruct (power_most U 5 HU ltac:(lia)). unfold U5. lra. }
      lra.
    - lra. }
  apply (rounded_between U) in H1, H2, H3, H4, H5; try lra.
  rewrite (Rabs_pos_eq most) in H1 by lra.
  assert (UU : 0 <= U * U <= / 1024 * U).
  { split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]. }
  assert (UM : 0 <= U * most <= U).
  { split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r U) at 2.
    apply Rmult_le_compat_l; lra. }
  assert (Less : forall x y k, - 2 <= x <= k -> 0 <= k -> x - U * Rabs x <= y <= x + U * Rabs x ->
    Rabs x <= 1 + 64 * U -> x - U * (1 + 64 * U) <= y <= x + U * (1 + 64 * U)).
  { intros x z k _ _ R A. assert (U * Rabs x <= U * (1 + 64 * U)) by
      (apply Rmult_le_compat_l; lra). lra. }
  assert (A1 : Rabs (m - 1) <= 1 + 64 * U) by (apply Rabs_le; lra).
  apply (Less (m - 1) a 3) in H2; try lra.
  assert (A2 : Rabs (a - 16 * U) <= 1 + 64 * U) by (apply Rabs_le; lra).
  apply (Less (a - 16 * U) b 3) in H3; try lra.
  assert (B : - (1 + 32 * U) <= b <= most - 1 - 12.5 * U) by lra.
  assert (A3 : Rabs b <= 1 + 32 * U) by (apply Rabs_le; lra).
  rewrite Rabs_mult, (Rabs_pos_eq S) in H4 by lra.
  assert (C : S * (b - (1 + 32 * U) * U) <= c <= S * (b + (1 + 32 * U) * U)).
  { assert (S * (Rabs b * U) <= S * ((1 + 32 * U) * U)).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. } lra. }
  assert (SB : S * (- (1 + 32 * U)) <= S * b <= S * (most - 1 - 12.5 * U)) by
    (split; apply Rmult_le_compat_l; lra).
  assert (SUU : 0 <= S * (U * U) <= S * (/ 1024 * U)) by
    (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  assert (SM : S * most <= S * 1) by (apply Rmult_le_compat_l; lra).
  assert (Most : sum n Q <= S * (1 + 3 * U)).
  { apply Rle_trans with (S * U2).
    - replace (S * U2) with (S * U2 * sum n q) by (rewrite Eq; ring). rewrite <- sum_scale.
      apply sum_le. intros j Hj. rewrite Rmult_assoc. apply Qmost. exact Hj.
    - apply Rmult_le_compat_l; lra. }
  assert (A4 : Rabs (c + least) <= S * (1 + 64 * U)) by (apply Rabs_le; lra).
  assert (A5 : U * Rabs (c + least) <= U * (S * (1 + 64 * U))) by (apply Rmult_le_compat_l; lra).
  assert (S2 : S * U2 <= S * (1 + 2.5 * U)) by (apply Rmult_le_compat_l; lra).
  assert (S5 : S * U5 <= S * (1 + 5.5 * U)) by (apply Rmult_le_compat_l; lra).
  apply Rmult_le_reg_l with S; [exact HS|]. lra.
Qed.

Lemma entries_test n U q d y : 0 <= U <= / 1024 -> distribution n q -> distribution n d ->
  0 <= y -> tested_entries n U q d y ->
  sum n (fun j => positive_part (q j - (1 + y) * d j)) <= 0.
Proof.
  intros HU [Hq _] [Hd _] Hy H. rewrite (sum_ext n _ (fun _ => 0)); [rewrite sum_zero; lra|].
  intros j Hj. specialize (Hq j Hj). specialize (Hd j Hj).
  destruct (H j Hj) as (q' & d' & y' & o & r & z & R1 & R2 & R3 & R4 & R5 & R6 & L).
  pose proof (scaled_between U _ _ _ _ _ _ HU Hd Hy R2 R3 R4 R5) as [Hr0 Hr].
  apply (rounded_between U) in R1, R6; try lra. rewrite (Rabs_pos_eq (q j)) in R1 by exact Hq.
  assert (0 <= r * (1 - 8 * U)) by (apply Rmult_le_pos; lra).
  rewrite (Rabs_pos_eq (r * (1 - 8 * U))) in R6 by assumption.
  destruct (power_most U 5 HU ltac:(lia)) as [_ P5]. simpl INR in P5.
  set (x := (1 + y) * d j) in *. assert (X0 : 0 <= x) by (apply Rmult_le_pos; lra).
  assert ((1 + U) * (r * (1 - 8 * U)) <= (1 + U) * ((1 + U) ^ 4 * x * (1 - 8 * U))).
  { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
  assert (E : (1 + U) * ((1 + U) ^ 4 * x * (1 - 8 * U)) = (1 + U) ^ 5 * (1 - 8 * U) * x) by ring.
  assert (F : (1 + U) ^ 5 * (1 - 8 * U) <= 1 - U).
  { apply Rle_trans with ((1 + (5 + / 32) * U) * (1 - 8 * U)).
    - apply Rmult_le_compat_r; lra.
    - assert (0 <= U * U) by (apply Rmult_le_pos; lra). lra. }
  assert ((1 + U) ^ 5 * (1 - 8 * U) * x <= (1 - U) * x) by (apply Rmult_le_compat_r; assumption).
  unfold positive_part. apply Rmax_left. apply Rmult_le_reg_l with (1 - U); lra.
Qed.

(** What is tested of two rows bounds the sum for them at each greater y as well; and where it is
    tested at 0, for both orders of the two rows. *)
Theorem sum_test n U u w S q d y most x : precise n U u w -> 0 < S -> distribution n q ->
  distribution n d -> 0 <= y <= x -> 0 <= most <= 1 ->
  tested_rows n U u w S q d y most \/ tested_rows n U u w S d q 0 most ->
  sum n (fun j => positive_part (q j - (1 + x) * d j)) <= most.
Proof.
  intros Hp HS Hq Hd Hy Hm H.
  assert (HU : 0 <= U <= / 1024) by (destruct Hp as (? & ? & _); lra).
  assert (G : forall q d y, distribution n q -> distribution n d -> 0 <= y ->
    tested_rows n U u w S q d y most -> sum n (fun j => Rmax (q j) ((1 + y) * d j)) <=
    1 + y + most).
  { clear - Hp HS Hm HU. intros q d y Hq Hd Hy [H|H]; [apply (tested_greater n U u w); auto|].
    assert (X : sum n (fun j => positive_part (q j - (1 + y) * d j)) <= most).
    { destruct H as [H|[-> H]]; [apply (whole_test n U S)|apply (entries_test n U)]; auto. }
    rewrite (sum_ext n _ (fun j => positive_part (q j - (1 + y) * d j) + (1 + y) * d j)).
    - rewrite sum_plus, sum_scale. change (sum n (fun j => d j)) with (sum n d).
      rewrite (proj2 Hd). lra.
    - intros j Hj. rewrite greater_order by (apply Hd; exact Hj). ring. }
  assert (H' : exists y, 0 <= y <= x /\ sum n (fun j => Rmax (q j) ((1 + y) * d j)) <=
    1 + y + most).
  { destruct H as [H|H]; [exists y|exists 0]; (split; [lra|]).
    - apply G; auto; lra.
    - eapply Rle_trans; [|apply (G d q 0); auto; lra].
      right. apply sum_ext. intros j _. rewrite Rplus_0_r, !Rmult_1_l. apply Rmax_comm. }
  destruct H' as [b [Hb Hs]].
  apply Rle_trans with (sum n (fun j => Rmax (q j) ((1 + b) * d j) - (1 + b) * d j)).
  - apply sum_le. intros j Hj. pose proof (proj1 Hd j Hj) as D. rewrite greater_order by exact D.
    assert ((1 + b) * d j <= (1 + x) * d j) by (apply Rmult_le_compat_r; lra).
    unfold Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra.
  - rewrite sum_minus, sum_scale, (proj2 Hd). lra.
Qed.

(** So what is tested of all pairs of rows, of each at y or in either order at 0, bounds L. *)
Theorem sums_loss n U u w S P A y most : precise n U u w -> 0 < S -> stochastic n P -> 1 <= A ->
  0 <= y -> 0 <= most <= 1 -> (A - 1) * most <= y ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> tested_rows n U u w S (P j) (P k) y most \/
     tested_rows n U u w S (P j) (P k) 0 most \/ tested_rows n U u w S (P k) (P j) 0 most) ->
  gain n P A <= 1 + y.
Proof.
  intros Hp HS HP HA Hy Hm Hmost H. apply gain_least; [lra|]. intros j k V Hj Hk.
  pose proof (HP j Hj) as Hq. pose proof (HP k Hk) as Hd.
  assert (B : sum n (fun i => positive_part (P j i - (1 + y) * P k i)) <= most).
  { destruct (Nat.eq_dec j k) as [<-|N].
    - rewrite (sum_ext n _ (fun _ => 0)); [rewrite sum_zero; lra|]. intros i Hi.
      unfold positive_part. apply Rmax_left. pose proof (proj1 Hq i Hi).
      assert (0 <= y * P j i) by (apply Rmult_le_pos; lra). lra.
    - destruct (H j k Hj Hk N) as [T|[T|T]].
      + apply (sum_test n U u w S _ _ y); auto. lra.
      + apply (sum_test n U u w S _ _ 0); auto. lra.
      + apply (sum_test n U u w S _ _ y); auto. lra. }
  assert (C : dot n (P j) (corner V A) <= (1 + y) * dot n (P k) (corner V A)).
  { apply (box_rule n (P j) (P k) A (1 + y)); auto.
    - assert ((A - 1) * sum n (fun i => positive_part (P j i - (1 + y) * P k i)) <=
        (A - 1) * most) by (apply Rmult_le_compat_l; lra). lra.
    - unfold corner. split; intros; [destruct (V _); lra|].
      destruct (V _), (V _); nra. }
  rewrite !dot_corner in C by assumption.
  pose proof (piece_of_spec n (P j) (P k) V A Hd HA) as E.
  pose proof (piece_denominator n (P k) V A Hd HA) as D.
  apply Rmult_le_reg_r with (sum_on n V (P k) * (A - 1) + 1); lra.
Qed.
