(** Functions that are linear between points: what bounds another function at the points of one
    list bounds, at those of a second list, its maximum over [u, phi(u)]. *)

From TPL Require Export Profile.
Open Scope R_scope.

Definition part_way (s x y : R) : R := (1 - s) * x + s * y.

(** Points p_0 < ... < p_m; F is at most what is linear between them and r_k at p_k. *)
Definition rising_points (m : nat) (p : nat -> R) : Prop := forall k, (k < m)%nat -> p k < p (S k).
Definition under_line (m : nat) (p r : nat -> R) (F : R -> R) : Prop :=
  forall k s, (k < m)%nat -> 0 <= s <= 1 ->
  F (part_way s (p k) (p (S k))) <= part_way s (r k) (r (S k)).

(** That linear function itself. *)
Fixpoint through (m : nat) (p r : nat -> R) (w : R) : R :=
  match m with
  | O => r 0%nat
  | S l => if Rle_dec w (p 1%nat)
      then part_way ((w - p 0%nat) / (p 1%nat - p 0%nat)) (r 0%nat) (r 1%nat)
      else through l (fun k => p (S k)) (fun k => r (S k)) w
  end.

Lemma part_way_between s x y : 0 <= s <= 1 -> x <= y -> x <= part_way s x y <= y.
Proof. intros Hs H. unfold part_way. split; nra. Qed.

Lemma part_way_mono s x y x' y' : 0 <= s <= 1 -> x <= x' -> y <= y' ->
  part_way s x y <= part_way s x' y'.
Proof. intros Hs Hx Hy. unfold part_way. apply Rplus_le_compat; apply Rmult_le_compat_l; lra. Qed.

Lemma part_way_max s x y V : 0 <= s <= 1 -> x <= V -> y <= V -> part_way s x y <= V.
Proof.
  intros Hs Hx Hy. replace V with (part_way s V V) by (unfold part_way; ring).
  apply part_way_mono; assumption.
Qed.

(** A linear function is nowhere above what bounds it at both ends. *)
Lemma part_way_ends x s y a b V : x <= s <= y -> part_way x a b <= V -> part_way y a b <= V ->
  part_way s a b <= V.
Proof.
  unfold part_way. intros Hs Hx Hy. destruct (Rle_dec a b) as [H|H].
  - assert ((y - s) * (b - a) >= 0) by (apply Rle_ge, Rmult_le_pos; lra). lra.
  - assert ((s - x) * (a - b) >= 0) by (apply Rle_ge, Rmult_le_pos; lra). lra.
Qed.

Lemma part_way_twice t x y a b :
  part_way (part_way t x y) a b = part_way t (part_way x a b) (part_way y a b).
Proof. unfold part_way. ring. Qed.

Lemma on_strip a b w : a < b -> a <= w <= b -> exists s, 0 <= s <= 1 /\ w = part_way s a b.
Proof.
  intros H Hw. exists ((w - a) / (b - a)). unfold part_way. split; [|field; lra]. split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_reg_r with (b - a); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    lra.
Qed.

Lemma part_way_order s t a b : a < b -> part_way s a b <= part_way t a b -> s <= t.
Proof.
  unfold part_way. intros H E. apply Rmult_le_reg_r with (b - a); lra.
Qed.

Lemma rising_le m p i j : rising_points m p -> (i <= j <= m)%nat -> p i <= p j.
Proof.
  intros H. induction j as [|j IH]; intros Hij; [replace i with 0%nat by lia; lra|].
  destruct (Nat.eq_dec i (S j)) as [->|N]; [lra|]. pose proof (H j ltac:(lia)).
  specialize (IH ltac:(lia)). lra.
Qed.

(** Between two of the points every number is between two neighbours. *)
Lemma some_strip (p : nat -> R) i j w : (i < j)%nat -> p i <= w <= p j ->
  exists k, (i <= k < j)%nat /\ p k <= w <= p (S k).
Proof.
  induction j as [|j IH]; intros Hij Hw; [lia|]. destruct (Rle_dec (p j) w) as [H|H].
  - exists j. split; [lia|lra].
  - destruct (Nat.eq_dec i j) as [->|N]; [lra|]. destruct IH as [k [Hk H']]; [lia|lra|].
    exists k. split; [lia|assumption].
Qed.

Lemma through_at m p r k s : rising_points m p -> (k < m)%nat -> 0 <= s <= 1 ->
  through m p r (part_way s (p k) (p (S k))) = part_way s (r k) (r (S k)).
Proof.
  revert p r k. induction m as [|m IH]; intros p r k Hp Hk Hs; [lia|]. cbn [through].
  pose proof (Hp k Hk) as Hpk. pose proof (part_way_between s _ _ Hs (Rlt_le _ _ Hpk)) as Hw.
  set (w := part_way s (p k) (p (S k))) in *. destruct k as [|k].
  - destruct (Rle_dec w (p 1%nat)) as [_|N]; [|lra]. f_equal. unfold w, part_way. field. lra.
  - destruct (Rle_dec w (p 1%nat)) as [H|_].
    + destruct k as [|k].
      * assert (Es : s = 0) by (unfold w, part_way in H; nra). unfold w. rewrite Es.
        unfold part_way. pose proof (Hp 0%nat ltac:(lia)). field. lra.
      * pose proof (Hp 1%nat ltac:(lia)).
        pose proof (rising_le (S m) p 2 (S (S k)) Hp ltac:(lia)). lra.
    + apply (IH (fun k => p (S k)) (fun k => r (S k)) k); [|lia|assumption].
      intros l Hl. apply Hp. lia.
Qed.

(** Where one number leads from x to x' on the strip between p_i and p_i+1, the other from y to y'
    on that of p_h, and V, V' are at least all that is linear there at both ends, and r between:
    then they are above F between. *)
Lemma above_between m p r F i h x x' y y' V V' t w : rising_points m p -> under_line m p r F ->
  (i <= h < m)%nat -> 0 <= t <= 1 -> 0 <= x <= 1 -> 0 <= x' <= 1 -> 0 <= y <= 1 -> 0 <= y' <= 1 ->
  part_way x (r i) (r (S i)) <= V -> part_way x' (r i) (r (S i)) <= V' ->
  part_way y (r h) (r (S h)) <= V -> part_way y' (r h) (r (S h)) <= V' ->
  (forall l, (i < l <= h)%nat -> r l <= V /\ r l <= V') ->
  part_way (part_way t x x') (p i) (p (S i)) <= w ->
  w <= part_way (part_way t y y') (p h) (p (S h)) -> F w <= part_way t V V'.
Proof.
  intros Hp HF Hih Ht Hx Hx' Hy Hy' Vx Vx' Vy Vy' Hr Hlow Hhigh.
  assert (Hmean : forall z z', 0 <= z <= 1 -> 0 <= z' <= 1 -> 0 <= part_way t z z' <= 1)
    by (intros; unfold part_way; nra).
  assert (HL : part_way (part_way t x x') (r i) (r (S i)) <= part_way t V V')
    by (rewrite part_way_twice; apply part_way_mono; assumption).
  assert (HH : part_way (part_way t y y') (r h) (r (S h)) <= part_way t V V')
    by (rewrite part_way_twice; apply part_way_mono; assumption).
  assert (Hl : forall l, (i < l <= h)%nat -> r l <= part_way t V V').
  { intros l Hl. destruct (Hr l Hl) as [H1 H2].
    replace (r l) with (part_way t (r l) (r l)) by (unfold part_way; ring).
    apply part_way_mono; assumption. }
  specialize (Hmean x x' Hx Hx') as Mx. specialize (Hmean y y' Hy Hy') as My.
  set (X := part_way t x x') in *. set (Y := part_way t y y') in *.
  set (D := part_way t V V') in *.
  pose proof (Hp i ltac:(lia)) as Pi. pose proof (Hp h ltac:(lia)) as Ph.
  pose proof (part_way_between X _ _ Mx (Rlt_le _ _ Pi)) as Bx.
  pose proof (part_way_between Y _ _ My (Rlt_le _ _ Ph)) as By.
  assert (E0 : forall a b, part_way 0 a b = a) by (intros; unfold part_way; ring).
  assert (E1 : forall a b, part_way 1 a b = b) by (intros; unfold part_way; ring).
  destruct (Rle_dec w (p (S i))) as [Hw|Hw].
  - destruct (on_strip (p i) (p (S i)) w Pi ltac:(lra)) as [s [Hs Ew]].
    rewrite Ew. eapply Rle_trans; [apply HF; [lia|assumption]|].
    assert (X <= s) by (apply (part_way_order _ _ (p i) (p (S i)) Pi); lra).
    destruct (Nat.eq_dec i h) as [<-|N].
    + assert (s <= Y) by (apply (part_way_order _ _ (p i) (p (S i)) Pi); lra).
      apply (part_way_ends X s Y); auto.
    + apply (part_way_ends X s 1); [lra|assumption|]. rewrite E1. apply Hl. lia.
  - destruct (Nat.eq_dec i h) as [<-|N]; [lra|].
    destruct (Rle_dec (p h) w) as [Hw'|Hw'].
    + destruct (on_strip (p h) (p (S h)) w Ph ltac:(lra)) as [s [Hs Ew]].
      rewrite Ew. eapply Rle_trans; [apply HF; [lia|assumption]|].
      assert (s <= Y) by (apply (part_way_order _ _ (p h) (p (S h)) Ph); lra).
      apply (part_way_ends 0 s Y); [lra| |assumption]. rewrite E0. apply Hl. lia.
    + assert (S i <> h) by (intros <-; lra).
      destruct (some_strip p (S i) h w ltac:(lia) ltac:(lra)) as [k [Hk Hwk]].
      destruct (on_strip (p k) (p (S k)) w (Hp k ltac:(lia)) Hwk) as [s [Hs Ew]].
      rewrite Ew. eapply Rle_trans; [apply HF; [lia|assumption]|].
      apply part_way_max; [assumption| |]; apply Hl; lia.
Qed.

(** ** phi of private releases *)

(** The three lines of which it is the least, with r = e^eps. *)
Definition line (r delta : R) (which : nat) (u : R) : R :=
  match which with
  | O => 1
  | S O => r * u + delta
  | _ => 1 - (1 - delta - u) / r
  end.

Lemma approximate_under eps delta r which u : 0 <= u -> 0 <= delta -> exp eps <= r ->
  approximate eps delta u <= line r delta which u.
Proof.
  intros Hu Hd Hr. pose proof (exp_pos eps) as He. unfold approximate.
  pose proof (Rmin_l 1 (Rmin (exp eps * u + delta) (1 - exp (- eps) * (1 - delta - u)))) as H1.
  pose proof (Rmin_r 1 (Rmin (exp eps * u + delta) (1 - exp (- eps) * (1 - delta - u)))) as H2.
  pose proof (Rmin_l (exp eps * u + delta) (1 - exp (- eps) * (1 - delta - u))) as H3.
  pose proof (Rmin_r (exp eps * u + delta) (1 - exp (- eps) * (1 - delta - u))) as H4.
  set (m := Rmin 1 _) in *. destruct which as [|[|which]]; cbn [line].
  - assumption.
  - assert (exp eps * u <= r * u) by (apply Rmult_le_compat_r; lra). lra.
  - assert (Hir : 0 < / r <= exp (- eps)).
    { rewrite exp_Ropp. split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; assumption]. }
    unfold Rdiv. destruct (Rle_dec u (1 - delta)) as [H|H].
    + assert ((1 - delta - u) * / r <= exp (- eps) * (1 - delta - u)); [|lra].
      rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
    + assert ((1 - delta - u) * / r <= 0); [|lra].
      assert (0 <= (u - (1 - delta)) * / r) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma line_part_way r delta which s u v :
  line r delta which (part_way s u v) = part_way s (line r delta which u) (line r delta which v).
Proof. destruct which as [|[|which]]; unfold line, part_way, Rdiv; ring. Qed.
