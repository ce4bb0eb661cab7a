(** The profile is attained: for concave phi_s the recursion with the greatest of F_a on [u,
  phi(u)]
    is exact, for sets of outputs by places, if each phi_s commutes in one direction with those of
    the farther releases. *)

From TPL Require Export Profile.
From Coq Require Import FunctionalExtensionality Ranalysis.
Open Scope R_scope.

(** ** Definitions *)

(** Concave on [0, 1]. *)
Definition concave (f : R -> R) : Prop := forall u v x, 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= x <= 1
  ->
  x * f u + (1 - x) * f v <= f (x * u + (1 - x) * v).

(** phi of a private release, as the theorem on profiles has it. *)
Definition trade_off (phi : R -> R) : Prop := rises_above phi /\ concave phi /\ continuity phi.

(** ** Functions with a greatest value *)

Lemma concave_sum n (P : nat -> R) (f : nat -> R -> R) : (forall a, (a < n)%nat -> 0 <= P a) ->
  (forall a, (a < n)%nat -> concave (f a)) -> concave (fun u => sum n (fun a => P a * f a u)).
Proof.
  intros HP Hf u v x Hu Hv Hx. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros a Ha.
  specialize (HP a Ha). specialize (Hf a Ha u v x Hu Hv Hx).
  apply Rle_trans with (P a * (x * f a u + (1 - x) * f a v)); [right; ring|].
  apply Rmult_le_compat_l; assumption.
Qed.

(** Where a concave function is greatest at x, it is so on an interval at the point nearest to x.
  *)
Lemma clamped_greatest f x low high w : concave f -> 0 <= x <= 1 -> (forall v, 0 <= v <= 1 ->
  f v <= f x) -> 0 <= low -> high <= 1 -> low <= w <= high -> f w <= f (clamped x low high).
Proof.
  intros Hf Hx Hmost Hlow Hhigh Hw.
  assert (Hmid : forall y, (x <= y <= w \/ w <= y <= x) -> f w <= f y).
  { intros y Hy. destruct (Req_dec x w) as [E|N]; [assert (y = w) by lra; subst y; lra|].
    set (z := (y - w) / (x - w)). assert (Ez : y = z * x + (1 - z) * w) by (unfold z; field; lra).
    assert (Hz : 0 <= z <= 1).
    { unfold z, Rdiv. destruct Hy as [Hy|Hy].
      - assert (0 < / (w - x)) by (apply Rinv_0_lt_compat; lra).
        replace ((y - w) * / (x - w)) with ((w - y) * / (w - x)) by (field; lra). split.
        + apply Rmult_le_pos; lra.
        + rewrite <- (Rinv_r (w - x)) by lra. apply Rmult_le_compat_r; lra.
      - assert (0 < / (x - w)) by (apply Rinv_0_lt_compat; lra). split.
        + apply Rmult_le_pos; lra.
        + rewrite <- (Rinv_r (x - w)) by lra. apply Rmult_le_compat_r; lra. }
    pose proof (Hf x w z Hx ltac:(lra) Hz) as H. rewrite <- Ez in H.
    pose proof (Hmost w ltac:(lra)) as Hm. nra. }
  apply Hmid. unfold clamped, Rmin, Rmax. repeat (destruct (Rle_dec _ _)); lra.
Qed.

(** That value on [u, phi(u)] is again concave in u, and continuous. *)
Lemma clamped_concave f phi x : concave f -> 0 <= x <= 1 -> (forall v, 0 <= v <= 1 -> f v <= f x)
  -> rises_above phi -> concave phi -> concave (fun u => f (clamped x u (phi u))).
Proof.
  intros Hf Hx Hmost [_ Hphi] Hconcave u v y Hu Hv Hy.
  pose proof (Hphi u Hu) as Pu. pose proof (Hphi v Hv) as Pv.
  pose proof (clamped_between x u (phi u) (proj1 Pu)) as Cu.
  pose proof (clamped_between x v (phi v) (proj1 Pv)) as Cv.
  assert (Hm : 0 <= y * u + (1 - y) * v <= 1) by nra.
  pose proof (Hphi _ Hm). pose proof (Hconcave u v y Hu Hv Hy) as Hc.
  eapply Rle_trans; [apply Hf; lra|]. apply clamped_greatest; auto; try lra. split.
  - apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [|exact Hc]. apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma continuity_min f g : continuity f -> continuity g -> continuity (fun u => Rmin (f u) (g u)).
Proof.
  intros Hf Hg. apply (continuity_same (fun u => (f u + g u - Rabs (f u - g u)) * / 2)).
  - intros u. unfold Rmin. destruct (Rle_dec (f u) (g u));
      [rewrite Rabs_left1 by lra; field|rewrite Rabs_right by lra; field].
  - apply (continuity_mult (fun u => f u + g u - Rabs (f u - g u)) (fun _ => / 2));
      [|apply continuity_const; intros ? ?; reflexivity].
    apply (continuity_minus (fun u => f u + g u) (fun u => Rabs (f u - g u))).
    + apply (continuity_plus f g); assumption.
    + apply (continuity_comp (fun u => f u - g u) Rabs); [|apply Rcontinuity_abs].
      apply (continuity_minus f g); assumption.
Qed.

Lemma continuity_line x y : continuity (fun u => x * u + y).
Proof. reg. Qed.

Lemma continuity_clamped phi x : continuity phi -> continuity (fun u => clamped x u (phi u)).
Proof.
  intros Hphi. apply (continuity_min (fun u => Rmax x u) phi); [|assumption].
  apply (continuity_same (fun u => - Rmin (-1 * u + 0) (0 * u - x))).
  - intros u. unfold Rmin, Rmax. repeat (destruct (Rle_dec _ _)); lra.
  - apply (continuity_opp (fun u => Rmin (-1 * u + 0) (0 * u - x))).
    apply (continuity_min (fun u => -1 * u + 0) (fun u => 0 * u - x)); apply continuity_line.
Qed.

Lemma greatest_at (f : R -> R) : continuity f -> exists x, 0 <= x <= 1 /\ forall v, 0 <= v <= 1 ->
  f v <= f x.
Proof.
  intros H. destruct (continuity_ab_maj f 0 1 ltac:(lra) (fun u _ => H u)) as [x [Hx Hr]].
  exists x. split; assumption.
Qed.

Lemma greatest_places n (F : nat -> R -> R) : (forall a, (a < n)%nat -> continuity (F a)) ->
  exists x, forall a, (a < n)%nat -> 0 <= x a <= 1 /\ forall v, 0 <= v <= 1 -> F a v <= F a (x a).
Proof.
  induction n as [|n IH]; intros H; [exists (fun _ => 0); intros; lia|].
  destruct IH as [x Hx]; [auto|]. destruct (greatest_at (F n) (H n (le_n _))) as [y Hy].
  exists (fun a => if Nat.eqb a n then y else x a). intros a Ha.
  destruct (Nat.eqb_spec a n) as [->|N]; [exact Hy|apply Hx; lia].
Qed.

Lemma continuity_sum_of n (P : nat -> R) (f : nat -> R -> R) : (forall a, (a < n)%nat ->
  continuity (f a)) -> continuity (fun u => sum n (fun a => P a * f a u)).
Proof.
  induction n as [|n IH]; intros H; simpl; [apply continuity_const; intros ? ?; reflexivity|].
  apply (continuity_plus (fun u => sum n (fun a => P a * f a u)) (fun u => P n * f n u)); [auto|].
  apply (continuity_scal (f n)). auto.
Qed.

(** (eps, delta)-private releases have such a phi. *)
Theorem approximate_trade_off eps delta : 0 <= eps -> 0 <= delta <= 1 ->
  trade_off (approximate eps delta).
Proof.
  intros He Hd. split; [apply approximate_rises; assumption|].
  assert (Hmin : forall f g, concave f -> concave g -> concave (fun u => Rmin (f u) (g u))).
  { intros f g Hf Hg u v x Hu Hv Hx. specialize (Hf u v x Hu Hv Hx). specialize (Hg u v x Hu Hv
    Hx).
    pose proof (Rmin_l (f u) (g u)). pose proof (Rmin_r (f u) (g u)).
    pose proof (Rmin_l (f v) (g v)). pose proof (Rmin_r (f v) (g v)). apply Rmin_glb; nra. }
  assert (Hline : forall y z, concave (fun u => y * u + z)).
  { intros y z u v x _ _ _. right. ring. }
  set (a := exp eps). set (b := exp (- eps)).
  assert (E : approximate eps delta = fun u => Rmin (0 * u + 1) (Rmin (a * u + delta)
    (b * u + (1 - b * (1 - delta))))).
  { extensionality u. unfold approximate, a, b. f_equal; [ring|]. f_equal. ring. }
  rewrite E. split.
  - apply (Hmin (fun u => 0 * u + 1)); [apply Hline|]. apply (Hmin (fun u => a * u + delta));
    apply Hline.
  - apply (continuity_min (fun u => 0 * u + 1)); [apply continuity_line|].
    apply (continuity_min (fun u => a * u + delta)); apply continuity_line.
Qed.

(** ** The recursion is exact *)

Lemma recursion_by_places_ext n P phi places other k F u : (forall s a, (s <= k)%nat ->
  places s a = other s a) ->
  recursion_by_places n P phi places k F u = recursion_by_places n P phi other k F u.
Proof.
  revert F. induction k as [|k IH]; intros F H; simpl.
  - apply sum_ext. intros a _. rewrite H by lia. reflexivity.
  - rewrite <- (IH (fun b v => sum n (fun a => P k a b * F a (clamped (other (S k) a) v (phi (S k)
      v))))) by auto.
    f_equal. extensionality b. extensionality v. apply sum_ext. intros a _.
    rewrite H by lia. reflexivity.
Qed.

Lemma recursion_attained n P phi k F : (forall s, stochastic n (P s)) -> (forall s,
  trade_off (phi s)) -> (forall a, (a < n)%nat -> concave (F a) /\ continuity (F a)) ->
  exists places u, 0 <= u <= 1 /\
  recursion_at_most n P phi k F (recursion_by_places n P phi places k F u).
Proof.
  intros HP Hphi. revert F. induction k as [|k IH]; intros F HF;
    destruct (greatest_places n F (fun a Ha => proj2 (HF a Ha))) as [x Hx].
  - set (f := fun a u => F a (clamped (x a) u (phi 0%nat u))).
    assert (Hc : forall a, (a < n)%nat -> continuity (f a)).
    { intros a Ha. apply (continuity_comp (fun u => clamped (x a) u (phi 0%nat u)) (F a)).
      - apply continuity_clamped. apply Hphi.
      - apply HF. assumption. }
    destruct (greatest_at (fun u => sum n (fun a => 1 * f a u)) (continuity_sum_of n (fun _ => 1) f
      Hc)) as [u [Hu Hmost]].
    exists (fun _ => x), u. split; [assumption|]. exists f. split.
    + intros a v w Ha Hv Hw Hphiw. unfold f. apply clamped_greatest; try lra.
      * apply HF. assumption.
      * apply Hx. assumption.
      * apply Hx. assumption.
      * destruct (Hphi 0%nat) as [[_ H] _]. apply H. lra.
    + intros v Hv. simpl. specialize (Hmost v Hv).
      rewrite (sum_ext n (fun a => 1 * f a v) (fun a => f a v)) in Hmost by (intros; ring).
      rewrite (sum_ext n (fun a => 1 * f a u) (fun a => f a u)) in Hmost by (intros; ring).
      exact Hmost.
  - set (f := fun a u => F a (clamped (x a) u (phi (S k) u))).
    assert (Hf : forall a, (a < n)%nat -> concave (f a) /\ continuity (f a)).
    { intros a Ha. destruct (HF a Ha) as [H1 H2]. destruct (Hx a Ha) as [H3 H4].
      destruct (Hphi (S k)) as [H5 [H6 H7]]. split.
      - apply clamped_concave; assumption.
      - apply (continuity_comp (fun u => clamped (x a) u (phi (S k) u)) (F a)); [|assumption].
        apply continuity_clamped. assumption. }
    destruct (IH (fun b v => sum n (fun a => P k a b * f a v))) as [places [u [Hu H]]].
    { intros b Hb. split.
      - apply (concave_sum n (fun a => P k a b)); [|apply Hf].
        intros a Ha. apply (HP k a Ha). assumption.
      - apply (continuity_sum_of n (fun a => P k a b)). apply Hf. }
    exists (fun s a => if Nat.eqb s (S k) then x a else places s a), u. split; [assumption|].
    exists f. split.
    + intros a v w Ha Hv Hw Hphiw. unfold f. apply clamped_greatest; try lra.
      * apply HF. assumption.
      * apply Hx. assumption.
      * apply Hx. assumption.
      * destruct (Hphi (S k)) as [[_ Hr] _]. apply Hr. lra.
    + cbn [recursion_by_places]. rewrite (recursion_by_places_ext n P phi _ places).
      * rewrite Nat.eqb_refl. exact H.
      * intros s a Hs. destruct (Nat.eqb_spec s (S k)); [lia|reflexivity].
Qed.

(** Of the releases in the order of [when], the farthest first: some set of outputs of a private
    stream tells D of the value at the last, and D is what the recursion gives. *)
Lemma attained_at n P when phi T j k A l : (forall s, stochastic n (P s)) -> (forall s,
  trade_off (phi s)) -> nearer_last T phi -> order_of_times T when -> (j < n)%nat -> (k < n)%nat ->
  j <> k -> exists g D, (forall psi, (forall s, (s <= T)%nat -> psi (when s) = phi s) ->
    private_set n T psi g) /\
  mean n P when T g j (then_at l (when T) j) - A * mean n P when T g k (then_at l (when T) k) = D
    /\
  profile_at_most n P phi T j k A D.
Proof.
  intros HP Hphi Hturn Hon Hj Hk Hjk.
  assert (Hrise : forall s, rises_above (phi s)) by (intros s; apply Hphi).
  assert (Hline : continuity (fun u : R => u)) by (apply derivable_continuous, derivable_id).
  destruct T as [|T].
  - destruct (Hphi 0%nat) as [_ [_ Hc]].
    destruct (greatest_at (fun u => phi 0%nat u - A * u)) as [u [Hu Hmost]].
    { apply (continuity_minus (phi 0%nat) (fun u => A * u)); [assumption|].
      apply (continuity_scal (fun u => u)). assumption. }
    exists (set_by_places when phi (fun _ _ => 0) u 0 j), (phi 0%nat u - A * u). split.
    { intros psi Hpsi. apply (places_private n when phi); auto. }
    split; [|exact Hmost]. cbn [mean]. unfold set_by_places. rewrite !then_at_same, Nat.eqb_refl.
    destruct (Nat.eqb_spec k j); [congruence|reflexivity].
  - set (F := fun a u => P T j a * phi (S T) u - A * P T k a * u).
    destruct (recursion_attained n P phi T F HP Hphi) as [places [u [Hu H]]].
    { intros a Ha. destruct (Hphi (S T)) as [_ [Hcon Hc]].
      pose proof (proj1 (HP T j Hj) a Ha) as P0. split.
      - intros v w x Hv Hw Hx. unfold F. specialize (Hcon v w x Hv Hw Hx).
        apply (Rmult_le_compat_l (P T j a)) in Hcon; [|assumption]. lra.
      - apply (continuity_minus (fun u => P T j a * phi (S T) u) (fun u => A * P T k a * u)).
        + apply (continuity_scal (phi (S T))). assumption.
        + apply (continuity_scal (fun u => u)). assumption. }
    exists (set_by_places when phi places u (S T) j), (recursion_by_places n P phi places T F u).
    split; [intros psi Hpsi; apply (places_private n when phi); auto|]. split; [|exact H].
    apply places_tell_at; [apply Hon|assumption].
Qed.

(** So the bound on the profile of the last value is attained, *)
Theorem BPL_profile_attained n c B phi T j k A : valid n c -> bayes n c B ->
  (forall s, trade_off (phi s)) -> nearer_last T phi -> (j < n)%nat -> (k < n)%nat -> j <> k ->
  0 < probability n c T (value T j) -> 0 < probability n c T (value T k) ->
  exists g D, private_set n T phi g /\
  given n c T g (value T j) - A * given n c T g (value T k) = D /\
  profile_at_most n B phi T j k A D.
Proof.
  intros Hc HB Hphi Hturn Hj Hk Hjk Pj Pk.
  destruct (attained_at n B (fun s => s) phi T j k A origin) as [g [D [Hg [E H]]]]; auto.
  - apply HB.
  - split; [intros s r _ _ Er; exact Er|]. intros t Ht. exists t. auto.
  - exists g, D. split; [apply Hg; reflexivity|]. split; [|exact H].
    rewrite !(given_mean n c T B), Nat.sub_diag by auto. exact E.
Qed.

(** and that of the first value: phi_(T - s) belongs to the s-th release from the farthest on. *)
Theorem FPL_profile_attained n c phi T j k A : valid n c -> (forall s, trade_off (phi s)) ->
  nearer_last T (fun s => phi (T - s)%nat) -> (j < n)%nat -> (k < n)%nat -> j <> k ->
  0 < probability n c T (value 0 j) -> 0 < probability n c T (value 0 k) ->
  exists g D, private_set n T phi g /\
  given n c T g (value 0 j) - A * given n c T g (value 0 k) = D /\
  profile_at_most n (fun s => forward c (T - S s)%nat) (fun s => phi (T - s)%nat) T j k A D.
Proof.
  intros Hc Hphi Hturn Hj Hk Hjk Pj Pk. assert (Hn : (0 < n)%nat) by lia.
  destruct (attained_at n (to_come c T) (fun s => (T - s)%nat) (fun s => phi (T - s)%nat) T j k A
    origin) as [g [D [Hg [E H]]]]; auto.
  - intros t. apply Hc.
  - split; [intros s r Hs Hr Er; lia|]. intros t Ht. exists (T - t)%nat. lia.
  - exists g, D. split; [apply Hg; reflexivity|]. split; [|exact H].
    rewrite !(given_mean n c T (reversed n c)) by (auto using bayes_rule; lia).
    rewrite Nat.sub_0_r. cbn [mean]. rewrite Nat.sub_diag in E. exact E.
Qed.

(** One phi for all releases meets the condition. *)
Lemma one_for_all T phi : nearer_last T (fun _ => phi).
Proof. intros r s u _ _ _. apply Rle_refl. Qed.
