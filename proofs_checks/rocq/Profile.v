(** What sets of outputs tell: the profile of streams that are private one value at a time, by any
    function phi. A set of outputs has the probability g l given the values l; where one value
    changes it is at most phi of what it was. *)

From TPL Require Export Joint.
From Coq Require Import FunctionalExtensionality.
Open Scope R_scope.

(** g is the probability of a set of outputs of a stream that is phi_s-private at each time s of
    0 .. T. *)
Definition private_set (n T : nat) (phi : nat -> R -> R) (g : path -> R) : Prop :=
  forall l s a, in_range n l -> (s <= T)%nat -> (a < n)%nat ->
  0 <= g l <= 1 /\ g (then_at l s a) <= phi s (g l).

(** Releases that are (eps, delta)-private, of a set of outputs and of its complement. *)
Definition approximate (eps delta u : R) : R :=
  Rmin 1 (Rmin (exp eps * u + delta) (1 - exp (- eps) * (1 - delta - u))).

Theorem approximate_private n T eps delta g :
  (forall l, in_range n l -> 0 <= g l <= 1) ->
  (forall l s a, in_range n l -> (s <= T)%nat -> (a < n)%nat ->
     g (then_at l s a) <= exp (eps s) * g l + delta s /\
     1 - g l <= exp (eps s) * (1 - g (then_at l s a)) + delta s) ->
  private_set n T (fun s => approximate (eps s) (delta s)) g.
Proof.
  intros H01 H l s a Hl Hs Ha. split; [auto|]. destruct (H l s a Hl Hs Ha) as [H1 H2].
  pose proof (H01 _ (in_range_then n l s a Hl Ha)). unfold approximate.
  apply Rmin_glb; [lra|]. apply Rmin_glb; [assumption|].
  enough (exp (- eps s) * (1 - delta s - g l) <= 1 - g (then_at l s a)) by lra.
  pose proof (exp_pos (eps s)). rewrite exp_Ropp. apply Rmult_le_reg_l with (exp (eps s));
    [assumption|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
Qed.

(** The recursion, from the nearest release on, the farthest is release 0: at each step f_a(u) is
    at
    least F_a at each point of [u, phi(u)], and the next F_b is the sum of P_ab f_a; at the end
      no sum of
    the f_a exceeds D. *)
Fixpoint recursion_at_most (n : nat) (P : nat -> nat -> nat -> R) (phi : nat -> R -> R) (k : nat)
  (F : nat -> R -> R) (D : R) : Prop :=
  exists f : nat -> R -> R,
  (forall a u w, (a < n)%nat -> 0 <= u <= w -> w <= 1 -> w <= phi k u -> F a w <= f a u) /\
  match k with
  | O => forall u, 0 <= u <= 1 -> sum n (fun a => f a u) <= D
  | S s => recursion_at_most n P phi s (fun b u => sum n (fun a => P s a b * f a u)) D
  end.

(** What it begins with, for the values j and k of time T; T = 0: nothing else is released. *)
Definition profile_at_most (n : nat) (P : nat -> nat -> nat -> R) (phi : nat -> R -> R) (T j k :
  nat) (A D : R) : Prop :=
  match T with
  | O => forall u, 0 <= u <= 1 -> phi O u - A * u <= D
  | S s => recursion_at_most n P phi s (fun a u => P s j a * phi (S s) u - A * P s k a * u) D
  end.

(** ** Means of sums *)

Lemma mean_sum n P when k m G a l : mean n P when k (fun l => sum m (fun i => G i l)) a l =
  sum m (fun i => mean n P when k (G i) a l).
Proof.
  revert a l. induction k as [|k IH]; intros a l; simpl; [reflexivity|]. unfold dot.
  rewrite (sum_swap m n). apply sum_ext. intros b _. rewrite IH, <- sum_scale. reflexivity.
Qed.

Lemma mean_minus n P when k G H a l : mean n P when k (fun l => G l - H l) a l =
  mean n P when k G a l - mean n P when k H a l.
Proof.
  revert a l. induction k as [|k IH]; intros a l; simpl; [reflexivity|]. unfold dot.
  rewrite <- sum_minus. apply sum_ext. intros b _. rewrite IH. ring.
Qed.

(** ** One value after the other *)

Definition set_at (n : nat) (when : nat -> nat) (phi : nat -> R -> R) (k : nat) (g : path -> R) :
  Prop :=
  forall l, in_range n l -> 0 <= g l <= 1 /\
  forall s a, (s < k)%nat -> (a < n)%nat -> g (then_at l (when s) a) <= phi s (g l).

Lemma least_at_set n when phi k g : (0 < n)%nat -> distinct when (S k) ->
  set_at n when phi (S k) g ->
  let h := least_at n g (when k) in
  set_at n when phi k h /\ forall l a, in_range n l -> (a < n)%nat ->
  h l <= g (then_at l (when k) a) <= phi k (h l).
Proof.
  intros Hn Hd Hg h.
  assert (Hbelow : forall l a, (a < n)%nat -> h l <= g (then_at l (when k) a)).
  { intros l a Ha. apply (least_lower n (fun a => g (then_at l (when k) a))). assumption. }
  assert (Hatt : forall l, exists b, (b < n)%nat /\ h l = g (then_at l (when k) b)).
  { intros l. apply (least_attained n (fun a => g (then_at l (when k) a))). assumption. }
  split.
  - intros l Hl. destruct (Hatt l) as [b [Hb Eb]].
    destruct (Hg _ (in_range_then n l (when k) b Hl Hb)) as [H01 Hphi].
    split; [rewrite Eb; exact H01|]. intros s a Hs Ha. rewrite Eb.
    eapply Rle_trans; [apply (Hbelow _ b Hb)|]. rewrite then_at_swap.
    + apply Hphi; auto.
    + intros E. apply Hd in E; lia.
  - intros l a Hl Ha. split; [auto|]. destruct (Hatt l) as [b [Hb ->]].
    rewrite <- (then_at_twice l (when k) b a). apply Hg; auto using in_range_then.
Qed.

Lemma recursion_bounds n P when phi k F D g l : (0 < n)%nat -> (forall t, stochastic n (P t)) ->
  distinct when (S k) -> set_at n when phi (S k) g -> in_range n l ->
  recursion_at_most n P phi k F D ->
  sum n (fun a => mean n P when k (fun l => F a (g l)) a (then_at l (when k) a)) <= D.
Proof.
  intros Hn HP. revert F g l. induction k as [|k IH]; intros F g l Hd Hg Hl [f [Hf H]];
    destruct (least_at_set n when phi _ g Hn Hd Hg) as [Hh Hbetween].
  - set (h := least_at n g (when 0%nat)) in *.
    eapply Rle_trans; [|apply (H (h l)); apply Hh; assumption].
    apply sum_le. intros a Ha. simpl. destruct (Hbetween l a Hl Ha).
    apply Hf; auto; [split; [apply Hh; assumption|assumption]|].
    apply Hg. apply in_range_then; assumption.
  - set (h := least_at n g (when (S k))) in *.
    apply Rle_trans with (sum n (fun a => mean n P when (S k) (fun l => f a (h l)) a l)).
    + apply sum_le. intros a Ha. rewrite mean_then by (intros s Hs E; apply Hd in E; lia).
      apply mean_le; auto. intros l' Hl'. destruct (Hbetween l' a Hl' Ha).
      apply Hf; auto; [split; [apply Hh; assumption|assumption]|].
      apply Hg. apply in_range_then; assumption.
    + eapply Rle_trans; [|apply (IH (fun b u => sum n (fun a => P k a b * f a u)) h l); auto;
        intros s r Hs Hr; apply Hd; lia].
      right. simpl mean. unfold dot. rewrite sum_swap. apply sum_ext. intros b _.
      rewrite mean_sum. apply sum_ext. intros a _. rewrite mean_scale. reflexivity.
Qed.

Lemma profile_bounds n P when phi T g j k A D l : (0 < n)%nat -> (forall t, stochastic n (P t)) ->
  distinct when (S T) -> set_at n when phi (S T) g -> in_range n l -> (j < n)%nat -> (k < n)%nat ->
  profile_at_most n P phi T j k A D ->
  mean n P when T g j (then_at l (when T) j) - A * mean n P when T g k (then_at l (when T) k) <= D.
Proof.
  intros Hn HP Hd Hg Hl Hj Hk H.
  assert (Hphi : forall l, in_range n l -> g (then_at l (when T) j) <=
    phi T (g (then_at l (when T) k))).
  { intros l' Hl'. rewrite <- (then_at_twice l' (when T) k j). apply Hg; auto using
    in_range_then. }
  destruct T as [|s].
  - simpl. pose proof (Hphi l Hl). pose proof (proj1 (Hg _ (in_range_then n l (when 0%nat) k Hl
    Hk))).
    specialize (H _ H1). lra.
  - rewrite !mean_then by (intros r Hr E; apply Hd in E; lia).
    set (G := fun l => g (then_at l (when (S s)) k)).
    assert (HG : set_at n when phi (S s) G).
    { intros l' Hl'. destruct (Hg _ (in_range_then n l' (when (S s)) k Hl' Hk)) as [H01 H'].
      split; [exact H01|]. intros r a Hr Ha. unfold G. rewrite then_at_swap.
      - apply H'; auto.
      - intros E. apply Hd in E; lia. }
    assert (Hd' : distinct when (S s)) by (intros r q Hr Hq; apply Hd; lia).
    eapply Rle_trans; [|exact (recursion_bounds n P when phi s _ D G l Hn HP Hd' HG Hl H)].
    apply Rle_trans with (mean n P when (S s) (fun l => phi (S s) (G l)) j l -
      A * mean n P when (S s) G k l).
    + apply Rplus_le_compat_r. apply mean_le; auto.
    + right. simpl mean. unfold dot. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros a _.
      rewrite mean_minus, !mean_scale. ring.
Qed.

(** ** BPL and FPL *)

(** Of what is released up to time T, reading no later values, no set of outputs tells of the value
    at T more than the recursion gives. *)
Theorem BPL_profile n c B phi T g j k A D : valid n c -> bayes n c B -> private_set n T phi g ->
  (j < n)%nat -> (k < n)%nat ->
  0 < probability n c T (value T j) -> 0 < probability n c T (value T k) ->
  profile_at_most n B phi T j k A D ->
  given n c T g (value T j) - A * given n c T g (value T k) <= D.
Proof.
  intros Hc HB Hg Hj Hk Pj Pk H. rewrite !(given_mean n c T B), Nat.sub_diag by auto. simpl mean
    at 2 4.
  apply (profile_bounds n B (fun s => s) phi T g j k A D origin); auto; try lia.
  - apply HB.
  - intros s r _ _ E. exact E.
  - intros l Hl. split; [apply (Hg l 0%nat j); auto; lia|]. intros s a Hs Ha. apply Hg; auto. lia.
  - intros s. unfold origin. lia.
Qed.

(** And of what is released from time 0 on, to T, of the value at time 0, by the forward matrices,
    the last of which leads to the farthest release. *)
Theorem FPL_profile n c phi T g j k A D : valid n c -> private_set n T phi g ->
  (j < n)%nat -> (k < n)%nat ->
  0 < probability n c T (value 0 j) -> 0 < probability n c T (value 0 k) ->
  profile_at_most n (fun s => forward c (T - S s)%nat) (fun s => phi (T - s)%nat) T j k A D ->
  given n c T g (value 0 j) - A * given n c T g (value 0 k) <= D.
Proof.
  intros Hc Hg Hj Hk Pj Pk H. assert (Hn : (0 < n)%nat) by lia.
  rewrite !(given_mean n c T (reversed n c)) by (auto using bayes_rule; lia). rewrite Nat.sub_0_r.
  simpl mean at 1 3.
  assert (E : forall a, then_at origin 0 a = then_at origin (T - T) a)
    by (intros a; rewrite Nat.sub_diag; reflexivity).
  rewrite !E.
  apply (profile_bounds n (to_come c T) (fun s => (T - s)%nat) (fun s => phi (T - s)%nat) T g j k A
    D origin); auto.
  - intros t. apply Hc.
  - intros s r Hs Hr Er. lia.
  - intros l Hl. split; [apply (Hg l 0%nat j); auto; lia|]. intros s a Hs Ha. apply Hg; auto. lia.
  - intros s. unfold origin. lia.
Qed.

(** ** From below *)

(** The point of [low, high] that is nearest to x. *)
Definition clamped (x low high : R) : R := Rmin (Rmax x low) high.

(** A set of outputs by places x_(s, a), of releases that are numbered from the farthest, 0, to T:
    what the first s of them come to, from u on, at each the point of [w, phi_s(w)] nearest to the
    place of its value, w that of the farther ones. *)
Fixpoint by_places (phi : nat -> R -> R) (places : nat -> nat -> R) (u : R) (s : nat) (l : path) :
  R :=
  match s with
  | O => u
  | S r => let w := by_places phi places u r l in clamped (places r (l r)) w (phi r w)
  end.
(** And of the release T itself, which tells whether its value is j. The s-th release is that of
    the time when(s). *)
Definition set_by_places (when : nat -> nat) (phi : nat -> R -> R) (places : nat -> nat -> R) (u :
  R) (T j : nat) (l : path) : R :=
  let w := by_places phi places u T (fun s => l (when s)) in
  if Nat.eqb (l (when T)) j then phi T w else w.

(** phi of a private release: it rises on [0, 1], and is at least the identity, at most 1. *)
Definition rises_above (phi : R -> R) : Prop :=
  (forall u v, 0 <= u <= v -> v <= 1 -> phi u <= phi v) /\
  forall u, 0 <= u <= 1 -> u <= phi u <= 1.

(** The condition on different phi_s, the nearest release included: one that is nearer, s, after
  one
    that is farther, r, is at most what it is before it. *)
Definition nearer_last (T : nat) (phi : nat -> R -> R) : Prop :=
  forall r s u, (r < s)%nat -> (s <= T)%nat -> 0 <= u <= 1 -> phi s (phi r u) <= phi r (phi s u).

(** The releases 0 .. T are those of the times 0 .. T, in another order. *)
Definition order_of_times (T : nat) (when : nat -> nat) : Prop := distinct when (S T) /\
  forall t, (t <= T)%nat -> exists s, (s <= T)%nat /\ when s = t.

Lemma approximate_rises eps c : 0 <= eps -> 0 <= c <= 1 -> rises_above (approximate eps c).
Proof.
  intros He Hc. assert (H1 : 1 <= exp eps) by (apply exp_ratio; assumption).
  assert (Hi : 0 < exp (- eps) <= 1).
  { split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. lra. }
  split.
  - intros u v Huv Hv. unfold approximate. apply Rmin_glb; [apply Rmin_l|].
    eapply Rle_trans; [apply Rmin_r|]. apply Rmin_glb.
    + eapply Rle_trans; [apply Rmin_l|]. apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
    + eapply Rle_trans; [apply Rmin_r|].
      assert (exp (- eps) * (1 - c - v) <= exp (- eps) * (1 - c - u))
        by (apply Rmult_le_compat_l; lra). lra.
  - intros u Hu. unfold approximate. split; [|apply Rmin_l]. apply Rmin_glb; [lra|].
    apply Rmin_glb.
    + assert (1 * u <= exp eps * u) by (apply Rmult_le_compat_r; lra). lra.
    + destruct (Rle_dec u (1 - c)) as [H|H].
      * assert (exp (- eps) * (1 - c - u) <= 1 * (1 - c - u)) by (apply Rmult_le_compat_r; lra).
        lra.
      * assert (exp (- eps) * (1 - c - u) <= 0); [|lra].
        assert (0 <= exp (- eps) * (u - (1 - c))) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma clamped_between x low high : low <= high -> low <= clamped x low high <= high.
Proof.
  intros H. unfold clamped. split; [|apply Rmin_r]. apply Rmin_glb; [apply Rmax_r|assumption].
Qed.

Lemma clamped_private phi psi x w w' : rises_above phi -> rises_above psi -> 0 <= w <= 1 ->
  0 <= w' <= 1 -> phi (psi w) <= psi (phi w) ->
  w' <= psi w -> clamped x w' (phi w') <= psi (clamped x w (phi w)).
Proof.
  intros [Hrise Hphi] [Prise Hpsi] Hw Hw' Hturn H. pose proof (Hphi w Hw). pose proof (Hphi w'
    Hw').
  pose proof (Hpsi w Hw). pose proof (clamped_between x w (phi w) ltac:(lra)) as Hv.
  set (v := clamped x w (phi w)) in *. assert (Hv1 : 0 <= v <= 1) by lra.
  pose proof (Hpsi v Hv1). pose proof (Prise w v ltac:(lra) ltac:(lra)).
  destruct (Rle_dec (phi w) x) as [Hx|Hx].
  - assert (E : v = phi w).
    { unfold v, clamped. apply Rmin_right. eapply Rle_trans; [exact Hx|apply Rmax_l]. }
    apply Rle_trans with (phi w'); [apply Rmin_r|]. rewrite E.
    apply Rle_trans with (phi (psi w)); [apply Hrise; lra|exact Hturn].
  - apply Rle_trans with (Rmax x w'); [apply Rmin_l|]. apply Rmax_lub; [|lra].
    assert (E : v = Rmax x w).
    { unfold v, clamped. apply Rmin_left. apply Rmax_lub; lra. }
    pose proof (Rmax_l x w). lra.
Qed.

Lemma by_places_next phi places u s l : by_places phi places u (S s) l =
  clamped (places s (l s)) (by_places phi places u s l) (phi s (by_places phi places u s l)).
Proof. reflexivity. Qed.

Lemma by_places_range phi places u s l : (forall r, rises_above (phi r)) -> 0 <= u <= 1 ->
  0 <= by_places phi places u s l <= 1.
Proof.
  intros Hphi Hu. induction s as [|s IH]; simpl; [assumption|].
  pose proof (proj2 (Hphi s) _ IH) as H.
  pose proof (clamped_between (places s (l s)) _ (phi s (by_places phi places u s l)) (proj1 H)).
  lra.
Qed.

Lemma by_places_ext phi places other u s l l' : (forall r a, (r < s)%nat -> places r a = other r a)
  -> (forall r, (r < s)%nat -> l r = l' r) ->
  by_places phi places u s l = by_places phi other u s l'.
Proof.
  induction s as [|s IH]; intros Hp Hl; simpl; [reflexivity|]. rewrite IH, Hp, Hl; auto.
Qed.

Lemma by_places_private phi places u s l r a T : (forall q, rises_above (phi q)) ->
  nearer_last T phi -> 0 <= u <= 1 -> (r < s)%nat -> (s <= S T)%nat ->
  by_places phi places u s (then_at l r a) <= phi r (by_places phi places u s l).
Proof.
  intros Hphi Hturn Hu. induction s as [|s IH]; intros Hr Hs; [lia|]. simpl.
  pose proof (by_places_range phi places u s l Hphi Hu) as Hw.
  pose proof (by_places_range phi places u s (then_at l r a) Hphi Hu).
  destruct (Nat.eq_dec r s) as [->|N].
  - rewrite then_at_same, (by_places_ext phi places places u s (then_at l s a) l)
      by (auto; intros; apply then_at_other; lia).
    set (w := by_places phi places u s l) in *. pose proof (proj2 (Hphi s) w Hw).
    pose proof (clamped_between (places s a) w (phi s w) ltac:(lra)).
    pose proof (clamped_between (places s (l s)) w (phi s w) ltac:(lra)).
    pose proof (proj1 (Hphi s) w (clamped (places s (l s)) w (phi s w)) ltac:(lra) ltac:(lra)).
    lra.
  - rewrite then_at_other by lia. apply clamped_private; auto; [|apply IH; lia].
    apply Hturn; auto; lia.
Qed.

Lemma when_then when T r a l s : distinct when (S T) -> (r <= T)%nat -> (s <= T)%nat ->
  then_at l (when r) a (when s) = then_at (fun q => l (when q)) r a s.
Proof.
  intros Hd Hr Hs. unfold then_at. destruct (Nat.eqb_spec (when s) (when r)) as [E|N].
  - rewrite (Hd s r ltac:(lia) ltac:(lia) E), Nat.eqb_refl. reflexivity.
  - destruct (Nat.eqb_spec s r) as [->|_]; [contradiction N; reflexivity|reflexivity].
Qed.

Lemma by_places_when phi places u when T r a l s : distinct when (S T) -> (r <= T)%nat ->
  (s <= S T)%nat -> by_places phi places u s (fun q => then_at l (when r) a (when q)) =
  by_places phi places u s (then_at (fun q => l (when q)) r a).
Proof.
  intros Hd Hr Hs. apply by_places_ext; [reflexivity|]. intros q Hq.
  apply (when_then when T); auto; lia.
Qed.

Lemma by_places_later phi places u when T r a l s : distinct when (S T) -> (r <= T)%nat ->
  (s <= r)%nat -> by_places phi places u s (fun q => then_at l (when r) a (when q)) =
  by_places phi places u s (fun q => l (when q)).
Proof.
  intros Hd Hr Hs. rewrite (by_places_when phi places u when T) by (auto; lia).
  apply by_places_ext; [reflexivity|]. intros q Hq. rewrite then_at_other by lia. reflexivity.
Qed.

(** Whatever the places and u, this is a set of outputs of a private stream: its probabilities
    under two values bound the profile from below. *)
Theorem places_private n when phi places u T j : (forall s, rises_above (phi s)) ->
  nearer_last T phi -> order_of_times T when -> 0 <= u <= 1 ->
  forall psi, (forall s, (s <= T)%nat -> psi (when s) = phi s) ->
  private_set n T psi (set_by_places when phi places u T j).
Proof.
  intros Hphi Hturn [Hd Hon] Hu psi Hpsi l t a Hl Ht Ha. destruct (Hon t Ht) as [s [Hs <-]].
  rewrite Hpsi by assumption. unfold set_by_places.
  rewrite (by_places_when phi places u when T), (when_then when T) by (auto; lia).
  set (own := fun q => l (when q)). change (l (when T)) with (own T).
  pose proof (by_places_range phi places u T own Hphi Hu) as Hw.
  pose proof (by_places_range phi places u T (then_at own s a) Hphi Hu) as Hw'.
  set (w := by_places phi places u T own) in *.
  set (w' := by_places phi places u T (then_at own s a)) in *.
  pose proof (proj2 (Hphi T) w Hw) as H1. split; [destruct (Nat.eqb (own T) j); lra|].
  destruct (Nat.eq_dec s T) as [->|N].
  - assert (E : w' = w).
    { apply by_places_ext; [reflexivity|]. intros q Hq. apply then_at_other. lia. }
    rewrite E, then_at_same. pose proof (proj2 (Hphi T) (phi T w) ltac:(lra)).
    destruct (Nat.eqb a j), (Nat.eqb (own T) j); lra.
  - rewrite then_at_other by lia.
    assert (Hstep : w' <= phi s w) by (apply (by_places_private phi places u T own s a T); auto;
      lia).
    destruct (Nat.eqb (own T) j); [|assumption].
    pose proof (proj2 (Hphi s) w Hw). apply Rle_trans with (phi T (phi s w)).
    + apply (proj1 (Hphi T)); lra.
    + apply Hturn; auto; lia.
Qed.

(** What such a set tells is what the recursion gives with its places: f_a(u) is F_a at the point
    of [u, phi(u)] nearest to x_a. *)
Fixpoint recursion_by_places (n : nat) (P : nat -> nat -> nat -> R) (phi : nat -> R -> R) (places :
  nat -> nat -> R) (k : nat) (F : nat -> R -> R) (u : R) : R :=
  let f := fun a v => F a (clamped (places k a) v (phi k v)) in
  match k with
  | O => sum n (fun a => f a u)
  | S s => recursion_by_places n P phi places s (fun b v => sum n (fun a => P s a b * f a v)) u
  end.

Lemma recursion_by_places_mean n P when phi places k F u l : distinct when (S k) ->
  sum n (fun a => mean n P when k (fun l => F a (by_places phi places u (S k) (fun s => l (when
    s)))) a (then_at l (when k) a)) = recursion_by_places n P phi places k F u.
Proof.
  revert F l. induction k as [|k IH]; intros F l Hd.
  - apply sum_ext. intros a _. simpl. rewrite then_at_same. reflexivity.
  - cbn [recursion_by_places]. rewrite <- (IH _ l) by (intros s r Hs Hr; apply Hd; lia).
    set (f := fun a v => F a (clamped (places (S k) a) v (phi (S k) v))).
    transitivity (sum n (fun a => mean n P when (S k) (fun l => f a (by_places phi places u (S k)
      (fun s => l (when s)))) a l)).
    + apply sum_ext. intros a _. rewrite mean_then by (intros s Hs E; apply Hd in E; lia).
      f_equal. extensionality l'.
      rewrite by_places_next. cbv beta.
      rewrite then_at_same, (by_places_later phi places u when (S k)) by (auto; lia). reflexivity.
    + simpl mean. unfold dot. rewrite sum_swap. apply sum_ext. intros b _. rewrite mean_sum.
      apply sum_ext. intros a _. rewrite mean_scale. reflexivity.
Qed.

Lemma places_tell_at n P when phi places u T j k A l : distinct when (S (S T)) -> j <> k ->
  let g := set_by_places when phi places u (S T) j in
  mean n P when (S T) g j (then_at l (when (S T)) j) -
  A * mean n P when (S T) g k (then_at l (when (S T)) k) =
  recursion_by_places n P phi places T (fun a v => P T j a * phi (S T) v - A * P T k a * v) u.
Proof.
  intros Hd Hjk g. rewrite !mean_then by (intros s Hs E; apply Hd in E; lia).
  set (w := fun l : path => by_places phi places u (S T) (fun s => l (when s))).
  assert (Hg : forall a l, g (then_at l (when (S T)) a) = if Nat.eqb a j then phi (S T) (w l) else
    w l).
  { intros a l'. unfold g, set_by_places, w. rewrite then_at_same, (by_places_later phi places u
    when
      (S T)) by (auto; lia). reflexivity. }
  assert (Ej : (fun l => g (then_at l (when (S T)) j)) = fun l => phi (S T) (w l)).
  { extensionality l'. rewrite Hg, Nat.eqb_refl. reflexivity. }
  assert (Ek : (fun l => g (then_at l (when (S T)) k)) = w).
  { extensionality l'. rewrite Hg. destruct (Nat.eqb_spec k j); [congruence|reflexivity]. }
  rewrite Ej, Ek, <- (recursion_by_places_mean n P when phi places T _ u l)
    by (intros s r Hs Hr; apply Hd; lia). cbn [mean].
  unfold dot. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros a _.
  transitivity (mean n P when T (fun l => P T j a * phi (S T) (w l) - A * P T k a * w l) a
    (then_at l (when T) a)); [|reflexivity]. rewrite mean_minus, !mean_scale. ring.
Qed.

Theorem places_tell n c B phi places u T j k A : valid n c -> bayes n c B -> (j < n)%nat ->
  (k < n)%nat -> j <> k ->
  0 < probability n c (S T) (value (S T) j) -> 0 < probability n c (S T) (value (S T) k) ->
  let g := set_by_places (fun s => s) phi places u (S T) j in
  given n c (S T) g (value (S T) j) - A * given n c (S T) g (value (S T) k) =
  recursion_by_places n B phi places T (fun a v => B T j a * phi (S T) v - A * B T k a * v) u.
Proof.
  intros Hc HB Hj Hk Hjk Pj Pk g. rewrite !(given_mean n c (S T) B), Nat.sub_diag by auto.
  cbn [mean]. apply (places_tell_at n B (fun s => s)); [|assumption]. intros s r _ _ E. exact E.
Qed.
