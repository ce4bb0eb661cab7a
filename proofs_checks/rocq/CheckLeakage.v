(** The verified checker on leakage over time: the recursions, step by step. *)

From TPL Require Export CheckSteps.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition bounds := (written_level * written_level)%type.
Definition enclosures := (enclosure * enclosure)%type.

(** One step from bounds of the leakage before: what is claimed of the loss, of the leakage and of
    its decimals; and what is known of the loss and of the leakage then. *)
Definition check_step (bits : Z) (M : distributions) (before : enclosures) (budget : enclosure)
  (j : json)
  : result ((bounds * bounds * bounds) * (enclosures * enclosures)) :=
  let! l := fields ["rows"; "subset"; "loss"; "bounds"; "level"] j in
  match l with
  | [two; columns; loss; leakage; level] =>
      let! qd := inside "." (read_sums M two columns) in
      let! (b1, (lo, hi)) := inside ".loss" (read_bounds bits loss) in
      let! _ := inside ".loss" (require (at_most lo (value_at M qd (fst before)))
        "the lower bound is above what is proved") in
      let! _ := inside ".loss" (require (loss_at_most M (snd before) hi)
        "the upper bound is not proved") in
      let! (b2, (lo', hi')) := inside ".bounds" (read_bounds bits leakage) in
      let! _ := inside ".bounds" (require (at_most lo' (plus budget lo))
        "the lower bound is above what is proved") in
      let! _ := inside ".bounds" (require (at_most (plus budget hi) hi')
        "the upper bound is below what is proved") in
      let! (b3, (lo'', hi'')) := inside ".level" (read_bounds bits level) in
      let! _ := inside ".level" (require (at_most lo'' lo')
        "the lower bound is above what is proved") in
      let! _ := inside ".level" (require (at_most hi' hi'')
        "the upper bound is below what is proved") in
      Done ((b1, b2, b3), ((lo, hi), (lo', hi')))
  | _ => Rejected "" "other fields are expected"
  end.

(** All steps in the order of the recursion, each with its matrix. *)
Fixpoint check_steps (bits : Z) (Ms : list distributions) (before : enclosures) (budgets :
  list enclosure) (l : list json)
  : result (list ((bounds * bounds * bounds) * (enclosures * enclosures))) :=
  match budgets, l with
  | [], [] => Done []
  | budget :: budgets', j :: l' =>
      let! one := check_step bits (hd no_matrix Ms) before budget j in
      let! others := check_steps bits (tl Ms) (snd (snd one)) budgets' l' in
      Done (one :: others)
  | _, _ => Rejected "" "as many steps as budgets are expected"
  end.

Definition check_total (bits : Z) (leakage loss : enclosures) (j : json) : result bounds :=
  let! (b, (lo, hi)) := read_bounds bits j in
  let! _ := require (at_most lo (plus (fst leakage) (fst loss)))
    "the lower bound is above what is proved" in
  let! _ := require (at_most (plus (snd leakage) (snd loss)) hi)
    "the upper bound is below what is proved" in
  Done b.
Fixpoint check_totals (bits : Z) (leakages losses : list enclosures) (l : list json) :
  result (list bounds) :=
  match leakages, losses, l with
  | [], [], [] => Done []
  | a :: leakages', b :: losses', j :: l' =>
      let! one := check_total bits a b j in
      let! others := check_totals bits leakages' losses' l' in
      Done (one :: others)
  | _, _, _ => Rejected "" "as many bounds as budgets are expected"
  end.

(** The matrices of the steps, in their order, before which comes that of the first release:
    none, for
    nothing is leaked before it, or the one of all steps. *)
Definition read_recursion (count : nat) (j : json) : result (correlation * list distributions) :=
  read_side_steps (match j with Fields _ => count - 1 | _ => count end) j.
Definition led (k : correlation) (Ms : list distributions) : list distributions :=
  if is_one k then Ms else no_matrix :: Ms.

Definition check_leakage (l : list json) : result claim :=
  match l with
  | [d; backward; forward; epsilons; bpl; fpl; tpl] =>
      let! bits := inside "digits" (digits d) in
      let! asked := inside "epsilons" (some_items most_steps epsilons) in
      let! budgets := inside "epsilons" (each (read_level bits) asked) in
      let! (B, Bs) := inside "backward" (read_recursion (List.length budgets) backward) in
      let! (F, Fs) := inside "forward" (read_recursion (List.length budgets) forward) in
      let! _ := inside "forward" (require (same_values B F)
        "it is not as large as the other matrix") in
      let! steps := inside "bpl" (items bpl) in
      let! past := inside "bpl" (check_steps bits (led B Bs) (zero, zero) (map snd budgets)
        steps) in
      let! steps := inside "fpl" (items fpl) in
      let! future := inside "fpl" (check_steps bits (led F (rev Fs)) (zero, zero) (rev (map snd
        budgets))
        (rev steps)) in
      let! totals := inside "tpl" (items tpl) in
      let! sums := inside "tpl" (check_totals bits (map (fun r => snd (snd r)) past)
        (rev (map (fun r => fst (snd r)) future)) totals) in
      Done (Leakage B F (map fst budgets) (map fst past) (rev (map fst future))
        sums)
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

(** The sums of a member of X and a member of Y. *)
Definition added_sets (X Y : R -> Prop) : R -> Prop := fun z => exists x y, X x /\ Y y /\
  z = x + y.

Lemma reached_added v w X Y : reached v X -> reached w Y -> (exists y, Y y) ->
  reached (total v w) (added_sets X Y).
Proof.
  intros HX HY [y0 Hy0] u Hu.
  assert (H : forall y, Y y -> match v with Some a => a <= u - y | None => False end).
  { intros y Hy. apply HX. intros x Hx. enough (x + y <= u) by lra. apply Hu. exists x, y. auto. }
  destruct v as [a|]; [|destruct (H y0 Hy0)].
  specialize (HY (u - a)). destruct w as [b|]; simpl.
  - enough (b <= u - a) by lra. apply HY. intros y Hy. specialize (H y Hy). lra.
  - apply HY. intros y Hy. specialize (H y Hy). lra.
Qed.

Lemma nothing_above_added v w X Y : nothing_above v X -> nothing_above w Y ->
  nothing_above (total v w) (added_sets X Y).
Proof.
  unfold nothing_above. destruct v as [a|], w as [b|]; simpl; auto.
    intros HX HY z [x [y [Hx [Hy ->]]]].
  specialize (HX x Hx). specialize (HY y Hy). lra.
Qed.

(** The leakages after a budget, of the leakages before; and so on through the budgets, each step
    with
    its matrix. *)
Definition leakages_of (P : list (list rational)) (X : R -> Prop) (l : written_level) : R ->
  Prop :=
  added_sets (stands_for l) (losses P X).
Fixpoint leakages_at (P : nat -> list (list rational)) (X : R -> Prop) (ls : list written_level)
  (i :
  nat) : R -> Prop :=
  match i, ls with
  | S i', l :: ls' => leakages_at (fun s => P (S s)) (leakages_of (P 0%nat) X l) ls' i'
  | _, _ => X
  end.

Lemma all_nonneg_losses P X : stochastic (List.length P) (of_matrix P) -> all_nonneg X ->
  all_nonneg (losses P X).
Proof. intros HP H x [a [Ha ->]]. apply (remark_1 _ _ a HP). auto. Qed.
Lemma all_nonneg_leakages P X l : stochastic (List.length P) (of_matrix P) -> all_nonneg X ->
  all_nonneg (leakages_of P X l).
Proof. intros HP H z [x [y [[Hx _] [Hy ->]]]]. pose proof (all_nonneg_losses P X HP H y Hy). lra.
  Qed.
Lemma stands_for_some l : nonneg (of_level l) -> exists x, stands_for l x.
Proof. unfold stands_for. destruct (of_level l) as [x|]; simpl; intros H; [exists x; auto|exists 0;
  split; [lra|exact I]]. Qed.

Definition known (e : enclosures) (X : R -> Prop) : Prop :=
  exists v w, encloses (fst e) v /\ encloses (snd e) w /\ reached v X /\ nothing_above w X.

Lemma value_at_sound_any M two columns qd v a_level X : well_formed (List.length (given M)) M ->
  sums M two columns = Done qd -> encloses a_level v -> all_nonneg X -> reached v X ->
  exists w, encloses (value_at M qd a_level) w /\ reached w (losses (given M) X).
Proof.
  intros HM Hs Hv H0 HX. destruct (Nat.eq_dec (List.length (given M)) 0) as [E|N].
  - destruct HM as [Hc [El Hall]]. rewrite E in El. exists (Some 0).
    destruct two as [[j k]|]; simpl in Hs.
    + rewrite El in Hs. destruct (Nat.ltb_spec j 0); [lia|]. discriminate.
    + apply bind_done in Hs. destruct Hs as [u [_ Hs]]. injection Hs as <-. simpl.
      split; [apply zero_sound|].
      apply reached_nonneg with v; auto. apply loss_gentle, well_formed_stochastic. repeat split;
        auto; congruence || (intros; apply Hall; assumption).
  - apply value_at_sound with two columns v; auto. lia.
Qed.

Definition step_holds (claims : bounds * bounds * bounds) (losses leakages : R -> Prop) : Prop :=
  let '(b1, b2, b3) := claims in between b1 losses /\ between b2 leakages /\ between b3 leakages.

Lemma check_step_sound bits M before budget l j claims now X :
  well_formed (List.length (given M)) M -> encloses budget (of_level l) -> nonneg (of_level l) ->
  all_nonneg X -> (exists x, X x) -> known before X -> check_step bits M before budget j = Done
    (claims, now) ->
  step_holds claims (losses (given M) X) (leakages_of (given M) X l) /\
  known (fst now) (losses (given M) X) /\ known (snd now) (leakages_of (given M) X l).
Proof.
  intros HM Hl Hl0 H0 [x0 Hx0] [v [w [Hv [Hw [Hr Ha]]]]] H. unfold check_step in H. step H.
  destruct a as [|two [|columns [|loss [|leakage [|level []]]]]]; try discriminate. step H.
    open_pairs.
  injection H as <- <-. clean. sums_of. read_bounds_of. cbn [fst snd] in *.
  match goal with E : sums M ?r ?S = Done ?qd |- _ =>
    destruct (value_at_sound_any M r S qd v _ X HM E Hv H0 Hr) as [v' [Hv' Hr']] end.
  match goal with E : loss_at_most M _ ?hi = true, Hh : encloses ?hi ?h |- _ =>
    pose proof (loss_at_most_sound M w h _ hi X HM Hw Hh H0 Ha E) as Ha' end.
  match goal with Hlo : encloses ?lo ?y, E : at_most ?lo (value_at _ _ _) = true |- _ =>
    pose proof (reached_less _ _ _ Hr' (at_most_sound _ _ _ _ Hlo Hv' E)) as Hr'' end.
  assert (Hsome : exists y, losses (given M) X y) by (eexists; exists x0; eauto).
  match goal with E : at_most ?lo (plus budget ?a) = true, Hlo : encloses ?lo ?y, Hb :
    encloses ?a ?z |- _ =>
    pose proof (reached_less _ _ _ (reached_added _ _ _ _ (stands_for_reached l Hl0) Hr'' Hsome)
      (at_most_sound _ _ _ _ Hlo (plus_sound _ _ _ _ Hl Hb) E)) as Hr3 end.
  match goal with E : at_most (plus budget ?a) ?hi = true, Hhi : encloses ?hi ?y, Hb :
    encloses ?a ?z |- _ =>
    pose proof (nothing_above_more _ _ _ (nothing_above_added _ _ _ _ (stands_for_below l) Ha')
      (at_most_sound _ _ _ _ (plus_sound _ _ _ _ Hl Hb) Hhi E)) as Ha3 end.
  match goal with E : at_most ?a ?b = true, Ea : encloses ?a (of_level ?x), Eb :
    encloses ?b (of_level ?y), Hc : reached (of_level ?y) _ |- _ =>
    pose proof (reached_less _ _ _ Hc (at_most_sound _ _ _ _ Ea Eb E)) as Hr4; clear E end.
  match goal with E : at_most ?a ?b = true, Ea : encloses ?a (of_level ?x), Eb :
    encloses ?b (of_level ?y), Hc : nothing_above (of_level ?x) _ |- _ =>
    pose proof (nothing_above_more _ _ _ Hc (at_most_sound _ _ _ _ Ea Eb E)) as Ha4; clear E end.
  unfold step_holds, between, known, leakages_of. cbn [fst snd].
  subst. cbn [fst snd]. split; [auto|]. split; do 2 eexists; eauto.
Qed.

Lemma leakages_some P X l : nonneg (of_level l) -> (exists x, X x) -> exists x,
  leakages_of P X l x.
Proof.
  intros Hl [x Hx]. destruct (stands_for_some l Hl) as [e He].
  exists (e + loss (List.length P) (of_matrix P) x), e, (loss (List.length P) (of_matrix P) x).
    repeat split; auto; try apply He.
  exists x. auto.
Qed.

Lemma nth_tl {A} (d : A) l i : nth i (tl l) d = nth (S i) l d.
Proof. destruct l; [destruct i|]; reflexivity. Qed.

Lemma check_steps_sound bits ls budgets :
  Forall2 (fun e l => encloses e (of_level l) /\ nonneg (of_level l)) budgets ls ->
  forall Ms P before j steps X,
  (forall i, well_formed (List.length (given (nth i Ms no_matrix))) (nth i Ms no_matrix)) ->
  (forall i, P i = given (nth i Ms no_matrix)) ->
  all_nonneg X -> (exists x, X x) -> known before X ->
  check_steps bits Ms before budgets j = Done steps ->
  List.length steps = List.length ls /\
  forall i claims now, nth_error steps i = Some (claims, now) ->
    step_holds claims (losses (P i) (leakages_at P X ls i)) (leakages_at P X ls (S i)) /\
    known (fst now) (losses (P i) (leakages_at P X ls i)) /\
      known (snd now) (leakages_at P X ls (S i)).
Proof.
  induction 1 as [|e l budgets ls Hel _ IH]; intros Ms P before j steps X HM HP H0 HX Hb H;
    destruct j as [|one j]; cbn [check_steps] in H; try discriminate.
  - injection H as <-. split; [reflexivity|]. intros [|i]; discriminate.
  - destruct Hel as [He Hl]. step H. injection H as <-. destruct a as [claims now].
    assert (E1 : hd no_matrix Ms = nth 0 Ms no_matrix) by (destruct Ms; reflexivity).
    rewrite E1 in E.
    pose proof (well_formed_stochastic _ (HM 0%nat)) as Hfirst.
    destruct (check_step_sound bits _ before e l one claims now X (HM 0%nat) He Hl H0 HX Hb E)
      as [S1 [S2 S3]]. rewrite <- HP in Hfirst, S1, S2, S3.
    destruct (IH (tl Ms) (fun s => P (S s)) (snd now) j a0 (leakages_of (P 0%nat) X l))
      as [El Hall]; auto.
    + intros i. rewrite nth_tl. apply HM.
    + intros i. rewrite nth_tl. apply HP.
    + apply all_nonneg_leakages; assumption.
    + apply leakages_some; assumption.
    + split; [simpl; congruence|]. intros [|i] claims' now' Hi; cbn [nth_error] in Hi.
      * injection Hi as <- <-. destruct ls; auto.
      * apply Hall in Hi. exact Hi.
Qed.

(** ** The sets are those of the recursions *)

Lemma budgets_some ls : Forall (fun l => nonneg (of_level l)) ls -> exists e, budgets ls e.
Proof.
  induction 1 as [|l ls Hl _ [e He]]; [exists (fun _ => 0); intros t Ht; simpl in Ht; lia|].
  destruct (stands_for_some l Hl) as [x Hx]. exists (fun t => match t with O => x | S s =>
    e s end).
  intros [|t] Ht; simpl in *; [assumption|apply He; lia].
Qed.

Fixpoint run (P : nat -> list (list rational)) (y : R) (e : nat -> R) (t : nat) : R :=
  e t + loss (List.length (P t)) (of_matrix (P t)) (match t with O => y | S s => run P y e s end).

Lemma run_first P y e t : run P y e (S t) =
  run (fun s => P (S s)) (e 0%nat + loss (List.length (P 0%nat)) (of_matrix (P 0%nat)) y)
    (fun s => e (S s)) t.
Proof.
  induction t as [|t IH]; [reflexivity|]. change (run P y e (S (S t)))
    with (e (S (S t)) + loss (List.length (P (S (S t)))) (of_matrix (P (S (S t))))
      (run P y e (S t))).
  rewrite IH. reflexivity.
Qed.

Lemma leakages_run ls : Forall (fun l => nonneg (of_level l)) ls -> forall P X i x,
  (i < List.length ls)%nat ->
  (leakages_at P X ls (S i) x <-> exists y e, X y /\ budgets ls e /\ x = run P y e i).
Proof.
  induction 1 as [|l ls Hl Hls IH]; intros P X i x Hi; simpl in Hi; [lia|]. destruct i as [|i].
  - cbn [leakages_at]. set (first := leakages_of (P 0%nat) X l).
    replace (leakages_at (fun s => P (S s)) first ls 0) with first by (destruct ls; reflexivity).
    unfold first. split.
    + intros [e0 [z [He [[y [Hy ->]] ->]]]]. destruct (budgets_some ls Hls) as [e Hb].
      exists y, (fun t => match t with O => e0 | S s => e s end). repeat split; auto;
        destruct t as [|t]; simpl in *; try apply He; try apply Hb; try lia.
    + intros [y [e [Hy [Hb ->]]]].
      exists (e 0%nat), (loss (List.length (P 0%nat)) (of_matrix (P 0%nat)) y).
      split; [apply (Hb 0%nat); simpl; lia|]. split; [exists y; auto|reflexivity].
  - change (leakages_at P X (l :: ls) (S (S i)) x)
      with (leakages_at (fun s => P (S s)) (leakages_of (P 0%nat) X l) ls (S i) x).
    rewrite (IH _ (leakages_of (P 0%nat) X l) i x) by lia. split.
    + intros [z [e [[e0 [w [He [[y [Hy ->]] ->]]]] [Hb ->]]]].
      exists y, (fun t => match t with O => e0 | S s => e s end). split; [assumption|]. split.
      * intros [|t] Ht; [exact He|apply Hb; simpl in Ht; lia].
      * rewrite run_first. reflexivity.
    + intros [y [e [Hy [Hb ->]]]].
      exists (e 0%nat + loss (List.length (P 0%nat)) (of_matrix (P 0%nat)) y), (fun s => e (S s)).
      split; [|split].
      * exists (e 0%nat), (loss (List.length (P 0%nat)) (of_matrix (P 0%nat)) y).
        split; [apply (Hb 0%nat); simpl; lia|]. split; [exists y; auto|reflexivity].
      * intros t Ht. apply (Hb (S t)). simpl. lia.
      * apply run_first.
Qed.

Lemma loss_zero n P : stochastic n P -> loss n P 0 = 0.
Proof. intros HP. pose proof (remark_1 n P 0 HP ltac:(lra)). lra. Qed.

(** The matrices P are those of the recursion, one before them. *)
Definition are_those (n : nat) (Q : nat -> nat -> nat -> R) (T : nat) (P : nat ->
  list (list rational)) : Prop :=
  stochastic (List.length (P 0%nat)) (of_matrix (P 0%nat)) /\
  forall s a, (S s < T)%nat -> loss (List.length (P (S s))) (of_matrix (P (S s))) a =
    loss n (Q s) a.

Lemma run_recursion n Q T P e t : are_those n Q T P -> (t < T)%nat -> run P 0 e t = BPL n Q e t.
Proof.
  intros [H0 H]. induction t as [|t IH]; intros Ht; simpl.
  - rewrite loss_zero by assumption. ring.
  - rewrite IH, H by lia. ring.
Qed.

Lemma leakages_BPL n Q P ls i x : are_those n Q (List.length ls) P ->
  Forall (fun l => nonneg (of_level l)) ls -> (i < List.length ls)%nat ->
  (leakages_at P (fun y => y = 0) ls (S i) x <-> over_budgets ls (fun e => BPL n Q e i) x).
Proof.
  intros HP Hls Hi. rewrite leakages_run by assumption. split.
  - intros [y [e [-> [Hb ->]]]]. exists e. split; [assumption|].
    apply run_recursion with (List.length ls); assumption.
  - intros [e [Hb ->]]. exists 0, e. repeat split; auto; try apply Hb; auto. symmetry.
    apply run_recursion with (List.length ls); assumption.
Qed.

Lemma losses_BPL n Q P ls i x : are_those n Q (List.length ls) P ->
  Forall (fun l => nonneg (of_level l)) ls -> (i < List.length ls)%nat ->
  (losses (P i) (leakages_at P (fun y => y = 0) ls i) x <-> over_budgets ls (fun e =>
    BPL n Q e i - e i) x).
Proof.
  intros HP Hls Hi. destruct i as [|i].
  - replace (leakages_at P (fun y => y = 0) ls 0) with (fun y => y = 0) by (destruct ls;
    reflexivity). pose proof (loss_zero _ _ (proj1 HP)) as Hz. split.
    + intros [y [-> ->]]. destruct (budgets_some ls Hls) as [e Hb]. exists e. split; [assumption|].
      rewrite Hz. simpl. ring.
    + intros [e [Hb ->]]. exists 0. split; [reflexivity|]. rewrite Hz. simpl. ring.
  - pose proof (fun a => proj2 HP i a Hi) as Hstep. split.
    + intros [y [Hy ->]]. apply (leakages_BPL n Q) in Hy; auto; [|lia].
      destruct Hy as [e [Hb ->]]. exists e. split; [assumption|]. rewrite Hstep. simpl. ring.
    + intros [e [Hb ->]]. exists (BPL n Q e i). split; [apply (leakages_BPL n Q); auto; [lia|];
      exists e; auto|]. rewrite Hstep. simpl. ring.
Qed.

Lemma BPL_ext n B e e' t : (forall s, (s <= t)%nat -> e s = e' s) -> BPL n B e t = BPL n B e' t.
Proof. induction t as [|t IH]; intros H; simpl; [apply H; lia|]. rewrite IH, H by auto.
  reflexivity. Qed.

Lemma FPL_turned n F e t k :
  FPL n F e t k = BPL n (fun s => F (t + k - S s)%nat) (turned (t + k) e) k.
Proof.
  revert t. induction k as [|k IH]; intros t; simpl.
  - unfold turned. f_equal. lia.
  - rewrite IH. replace (S t + k)%nat with (t + S k)%nat by lia.
    replace (t + S k - S k)%nat with t by lia. f_equal. unfold turned. f_equal. lia.
Qed.

Lemma FPL_ext n F e e' t k : (forall s, (t < s <= t + k)%nat -> e s = e' s) ->
  FPL n F e t k - e t = FPL n F e' t k - e' t.
Proof.
  revert t. induction k as [|k IH]; intros t H; simpl; [ring|].
  specialize (IH (S t) ltac:(intros; apply H; lia)). rewrite (H (S t)) in IH by lia.
  replace (FPL n F e (S t) k) with (FPL n F e' (S t) k) by lra. ring.
Qed.

Lemma budgets_turned ls e : budgets (rev ls) e -> budgets ls (turned (List.length ls - 1) e).
Proof.
  intros H t Ht. unfold turned. specialize (H (List.length ls - 1 - t)%nat).
    rewrite rev_length, rev_nth in H by lia.
  replace (List.length ls - S (List.length ls - 1 - t))%nat with t in H by lia. apply H. lia.
Qed.

Lemma over_budgets_fpl F ls t x : (t < List.length ls)%nat -> let T := List.length ls in
  let Q := fun s => of_matrix (at_step F (T - 1 - S s)) in
  (over_budgets (rev ls) (fun e => BPL (values_in F) Q e (T - 1 - t)) x <->
   over_budgets ls (fun e => fpl_by F e T t) x) /\
  (over_budgets (rev ls) (fun e => BPL (values_in F) Q e (T - 1 - t) - e (T - 1 - t)%nat) x <->
   over_budgets ls (fun e => fpl_by F e T t - e t) x).
Proof.
  intros Ht T Q.
  assert (H : forall e, fpl_by F e T t = BPL (values_in F) Q (turned (T - 1) e) (T - 1 - t)).
  { intros e. unfold fpl_by. rewrite FPL_turned. replace (t + (T - 1 - t))%nat with (T - 1)%nat
      by lia. reflexivity. }
  assert (H1 : forall e, fpl_by F (turned (T - 1) e) T t = BPL (values_in F) Q e (T - 1 - t)).
  { intros e. rewrite H. apply BPL_ext. intros s Hs. unfold turned. f_equal. lia. }
  assert (H3 : forall e, budgets ls e -> budgets (rev ls) (turned (T - 1) e)).
  { intros e He. pose proof (budgets_turned (rev ls) e) as Hr. rewrite rev_involutive, rev_length
    in Hr. auto. }
  assert (H4 : forall e : nat -> R, turned (T - 1) e t = e (T - 1 - t)%nat) by reflexivity.
  assert (H5 : forall e : nat -> R, turned (T - 1) e (T - 1 - t)%nat = e t) by (intros e;
    unfold turned; f_equal; lia).
  split; split; intros [e [He ->]]; exists (turned (T - 1) e);
    (split; [first [exact (budgets_turned ls e He)|exact (H3 e He)]|cbv beta]).
  - rewrite H1. reflexivity.
  - apply H.
  - rewrite H1, H4. reflexivity.
  - rewrite <- H, H5. reflexivity.
Qed.

Lemma over_budgets_total B F ls t x : (t < List.length ls)%nat -> let T := List.length ls in
  (added_sets (over_budgets ls (fun e => bpl_by B e t)) (over_budgets ls (fun e =>
    fpl_by F e T t - e t)) x <->
   over_budgets ls (fun e => bpl_by B e t + fpl_by F e T t - e t) x).
Proof.
  intros Ht T. split.
  - intros [y [z [[e [He ->]] [[e' [He' ->]] ->]]]]. set (both := fun s => if Nat.leb s t then e s
    else e' s).
    exists both. split; [intros s Hs; unfold both; destruct (Nat.leb s t); auto|].
    assert (E1 : bpl_by B both t = bpl_by B e t).
    { apply BPL_ext. intros s Hs. unfold both. destruct (Nat.leb_spec s t); [reflexivity|lia]. }
    assert (E2 : fpl_by F both T t - both t = fpl_by F e' T t - e' t).
    { apply FPL_ext. intros s Hs. unfold both. destruct (Nat.leb_spec s t); [lia|reflexivity]. }
    rewrite E1. lra.
  - intros [e [He ->]]. exists (bpl_by B e t), (fpl_by F e T t - e t). split; [exists e; auto|].
    split; [exists e; auto|]. ring.
Qed.

Lemma between_same b X Y : (forall x, X x <-> Y x) -> between b X -> between b Y.
Proof.
  intros H [H1 H2]. split.
  - intros u Hu. apply H1. intros x Hx. apply Hu, H, Hx.
  - unfold nothing_above in *. destruct (of_level (snd b)); [|exact I]. intros x Hx.
    apply H2, H, Hx.
Qed.

Lemma nth_error_rev {A} (l : list A) t x : nth_error (rev l) t = Some x ->
  (t < List.length l)%nat /\ nth_error l (List.length l - 1 - t) = Some x.
Proof.
  intros H. assert (Ht : (t < List.length (rev l))%nat) by (apply nth_error_Some; congruence).
    rewrite rev_length in Ht.
  split; [assumption|]. apply (nth_error_nth _ _ x) in H. rewrite rev_nth in H by assumption.
  rewrite (nth_error_nth' l x) by lia.
  replace (List.length l - 1 - t)%nat with (List.length l - S t)%nat by lia. rewrite H.
    reflexivity.
Qed.

Lemma check_totals_sound bits leakages losses l sums : check_totals bits leakages losses l = Done
  sums ->
  List.length sums = List.length leakages /\
  forall t b, nth_error sums t = Some b -> exists x y, nth_error leakages t = Some x /\
    nth_error losses t = Some y /\
  forall X Y, known x X -> known y Y -> (exists z, Y z) -> between b (added_sets X Y).
Proof.
  revert losses l sums. induction leakages as [|x leakages IH]; intros [|y losses] [|j l] sums H;
    cbn [check_totals] in H; try discriminate.
  - injection H as <-. split; [reflexivity|]. intros [|t]; discriminate.
  - step H. injection H as <-. destruct (IH _ _ _ E0) as [El Hall]. split; [simpl; congruence|].
    intros [|t] b' Hb; cbn [nth_error] in *; [|apply Hall; assumption]. injection Hb as <-.
    exists x, y. split; [reflexivity|]. split; [reflexivity|].
    intros X Y [v [w [Hv [Hw [Hr Ha]]]]] [v' [w' [Hv' [Hw' [Hr' Ha']]]]] HY.
    unfold check_total in E. step E. open_pairs. injection E as <-. clean. read_bounds_of. subst.
    split; cbn [fst snd].
    + eapply reached_less; [apply (reached_added _ _ _ _ Hr Hr' HY)|]. eapply at_most_sound;
      eauto using plus_sound.
    + eapply nothing_above_more; [apply (nothing_above_added _ _ _ _ Ha Ha')|].
      eapply at_most_sound; eauto using plus_sound.
Qed.

Lemma each_levels bits at_item l levels : each_from at_item (read_level bits) l = Done levels ->
  Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w)) (map snd levels)
    (map fst levels).
Proof.
  revert at_item levels. induction l as [|j l IH]; intros at_item levels H; cbn [each_from] in H.
  - injection H as <-. constructor.
  - destruct (read_level bits j) as [[w e]| |] eqn:E; simpl in H; try discriminate.
    step H. injection H as <-. constructor; [apply (read_level_sound bits j w e E)|]. eapply IH.
      eassumption.
Qed.

Lemma Forall2_nonneg budgets ls : Forall2 (fun e w => encloses e (of_level w) /\
  nonneg (of_level w)) budgets ls ->
  Forall (fun w => nonneg (of_level w)) ls.
Proof. induction 1 as [|e w budgets ls H _ IH]; constructor; tauto. Qed.

Lemma zero_known : known (zero, zero) (fun y => y = 0).
Proof.
  exists (Some 0), (Some 0). repeat split; try apply zero_sound.
  - intros u Hu. apply Hu. reflexivity.
  - intros y ->. lra.
Qed.

Lemma known_same x X Y : (forall z, X z <-> Y z) -> known x X -> known x Y.
Proof.
  intros H [v [w [Hv [Hw [Hr Ha]]]]]. exists v, w. repeat split; try apply Hv; try apply Hw.
  - intros u Hu. apply Hr. intros z Hz. apply Hu, H, Hz.
  - unfold nothing_above in *. destruct w; [|exact I]. intros z Hz. apply Ha, H, Hz.
Qed.

(** What is read of a correlation: the matrices of the recursions, forward and backward. *)
Lemma read_recursion_sound T j k Ms : (0 < T)%nat -> read_recursion T j = Done (k, Ms) ->
  stochastic_steps k T /\ forall backward : bool,
  let all := led k (if backward then Ms else rev Ms) in
  (forall i, well_formed (List.length (given (nth i all no_matrix))) (nth i all no_matrix)) /\
  are_those (values_in k) (fun s => of_matrix (at_step k (if backward then s else T - 1 - S
    s)%nat))
    T (fun i => given (nth i all no_matrix)).
Proof.
  intros HT H. unfold read_recursion in H. pose proof (read_side_steps_sound _ _ _ _ H) as Hs.
  assert (Hnone : well_formed (List.length (given no_matrix)) no_matrix)
    by (repeat split; simpl in *; lia).
  unfold steps_are in Hs. destruct (Nat.eqb_spec (values_in k) 0) as [E|N].
  - subst Ms. split; [intros s _; rewrite E; intros a Ha; lia|]. intros backward all.
    assert (Hall : forall i, nth i all no_matrix = no_matrix).
    { intros i. unfold all, led. destruct backward, (is_one k), i as [|[|i]]; reflexivity. }
    split; [intros i; rewrite Hall; exact Hnone|]. rewrite E. split.
    + rewrite Hall. intros a Ha. simpl in Ha. lia.
    + intros s a _. rewrite Hall. reflexivity.
  - destruct Hs as [_ [L Hs]]. cbn [Nat.add] in Hs.
    assert (Hcount : (match j with Fields _ => T - 1 | _ => T end = if is_one k then T
      else T - 1)%nat).
    { unfold read_side_steps, read_steps in H. apply bind_done in H. destruct H as [[k' M'] [H E]].
      injection E as -> _. destruct j as [| | |fields| |]; try (apply bind_done in H;
        destruct H as [M [_ H]]; injection H as <- _; reflexivity).
      - destruct fields as [|[key l] [|? ?]]; try discriminate. destruct (String.eqb key "cycle");
        step H; injection H as <- _; reflexivity.
      - injection H as <- _. reflexivity. }
    rewrite Hcount in *.
    assert (Hin : forall i, (i < T - 1)%nat -> (i < if is_one k then T else T - 1)%nat)
      by (intros i Hi; destruct (is_one k); lia).
    split.
    { intros s Hs'. destruct (Hs s (Hin s ltac:(lia))) as [El [HM EM]]. rewrite <- El in HM.
      rewrite <- EM, <- El. apply well_formed_stochastic. assumption. }
    assert (Hone : is_one k = true -> forall s, at_step k s = at_step k 0)
      by (intros Ek s; destruct k; [reflexivity|discriminate|discriminate]).
    intros backward all.
    assert (Hwell : forall i, well_formed (List.length (given (nth i all no_matrix)))
      (nth i all no_matrix)).
    { intros i. destruct (nth_in_or_default i all no_matrix) as [Hi| -> ]; [|exact Hnone].
      assert (Hin' : In (nth i all no_matrix) Ms \/ nth i all no_matrix = no_matrix).
      { unfold all, led in *. destruct (is_one k); [|destruct Hi as [Hi|Hi]; [right; auto|]];
          destruct backward; auto; left; apply in_rev; assumption. }
      destruct Hin' as [Hi'| -> ]; [|exact Hnone]. apply (In_nth _ _ no_matrix) in Hi'.
      destruct Hi' as [r [Hr <-]]. rewrite L in Hr. destruct (Hs r Hr) as [El [HM _]].
      rewrite El. assumption. }
    split; [exact Hwell|]. split; [exact (well_formed_stochastic _ (Hwell 0%nat))|].
    intros s a Hs'.
    assert (E : given (nth (S s) all no_matrix) =
      at_step k (if backward then s else (T - 1 - S s))%nat /\
      List.length (given (nth (S s) all no_matrix)) = values_in k).
    { unfold all, led. destruct (is_one k) eqn:Ek.
      - assert (Hr : exists r, (r < T)%nat /\ nth (S s) (if backward then Ms else rev Ms) no_matrix
          = nth r Ms no_matrix).
        { destruct backward; [exists (S s); auto|]. exists (T - S (S s))%nat.
          split; [lia|]. rewrite rev_nth by lia. rewrite L. reflexivity. }
        destruct Hr as [r [Hr ->]]. destruct (Hs r Hr) as [El [_ EM]]. split; [|assumption].
        rewrite EM, !(Hone eq_refl). symmetry. apply Hone. reflexivity.
      - cbn [nth]. assert (Hr : nth s (if backward then Ms else rev Ms) no_matrix =
          nth (if backward then s else (T - 1 - S s))%nat Ms no_matrix).
        { destruct backward; [reflexivity|]. rewrite rev_nth by lia. rewrite L. reflexivity. }
        rewrite Hr. destruct (Hs (if backward then s else (T - 1 - S s))%nat) as [El [_ EM]].
        { destruct backward; lia. }
        auto. }
    destruct E as [E1 E2]. rewrite E2, E1. reflexivity.
Qed.

Lemma check_leakage_sound l c : check_leakage l = Done c -> holds c.
Proof.
  unfold check_leakage. intros H. do 7 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean.
  match goal with E : each (read_level _) _ = Done ?x |- _ => rename x into asked;
    pose proof (each_from_length _ _ _ _ E) as Lasked; apply each_levels in E;
    rename E into Hls end.
  set (ls := map fst asked) in *.
  assert (Hlen : List.length (map snd asked) = List.length ls) by (unfold ls; rewrite !map_length;
    reflexivity).
  pose proof (Forall2_nonneg _ _ Hls) as Hnonneg.
  assert (Hls' : Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w))
    (rev (map snd asked)) (rev ls)).
  { clear - Hls. induction Hls; simpl; [constructor|]. apply Forall2_app; auto. }
  pose proof (Forall2_nonneg _ _ Hls') as Hnonneg'.
  assert (HT : (0 < List.length ls)%nat).
  { unfold ls. rewrite map_length, Lasked. match goal with E : some_items _ _ = Done _ |- _ =>
      unfold some_items in E; step E; injection E as ->; clean end.
    match goal with E : Nat.leb 1 _ = true |- _ => apply Nat.leb_le in E; lia end. }
  match goal with E1 : read_recursion _ _ = Done (?b, _), E2 : read_recursion _ _ = Done (?f, _),
    E3 : same_values ?b ?f = true |- _ => rename b into B, f into F;
    replace (List.length asked) with (List.length ls) in E1, E2
      by (unfold ls; apply map_length);
    destruct (read_recursion_sound _ _ _ _ HT E1) as [HPB HB];
    destruct (read_recursion_sound _ _ _ _ HT E2) as [HPF HF]; clear E1 E2 E3 end.
  destruct (HB true) as [HwB HthoseB]. destruct (HF false) as [HwF HthoseF]. clear HB HF.
  cbv zeta in *.
  assert (H00 : all_nonneg (fun y => y = 0)) by (intros y ->; lra).
  match goal with E : check_steps _ (led B _) _ _ _ = Done ?x |- _ => rename x into past;
    destruct (check_steps_sound _ ls _ Hls _ _ _ _ _ _ HwB (fun i => eq_refl) H00
      (ex_intro _ 0 eq_refl) zero_known E) as [Lpast Hpast] end.
  match goal with E : check_steps _ (led F _) _ _ _ = Done ?x |- _ => rename x into future;
    destruct (check_steps_sound _ (rev ls) _ Hls' _ _ _ _ _ _ HwF (fun i => eq_refl) H00
      (ex_intro _ 0 eq_refl) zero_known E) as [Lfuture Hfuture] end.
  rewrite <- (rev_length ls) in HthoseF.
  match goal with E : check_totals _ _ _ _ = Done ?x |- _ => rename x into totals;
    destruct (check_totals_sound _ _ _ _ _ E) as [Ltotals Htotals] end.
  rewrite map_length in Ltotals. rewrite rev_length in Lfuture.
  assert (Hfuture' : forall t claims now, nth_error (rev future) t = Some (claims, now) ->
    step_holds claims (over_budgets ls (fun e => fpl_by F e (List.length ls) t - e t))
      (over_budgets ls (fun e => fpl_by F e (List.length ls) t)) /\
    known (fst now) (over_budgets ls (fun e => fpl_by F e (List.length ls) t - e t))).
  { intros t claims now Ht. apply nth_error_rev in Ht. destruct Ht as [Ht Hn].
    rewrite Lfuture in *.
    destruct (Hfuture _ _ _ Hn) as [S1 [S2 _]].
    assert (Hi : (List.length ls - 1 - t < List.length (rev ls))%nat) by (rewrite rev_length; lia).
    pose proof (fun x => losses_BPL _ _ _ (rev ls) _ x HthoseF Hnonneg' Hi) as E1.
    pose proof (fun x => leakages_BPL _ _ _ (rev ls) _ x HthoseF Hnonneg' Hi) as E2.
    pose proof (fun x => over_budgets_fpl F ls t x Ht) as E3. rewrite rev_length in E1, E2.
    assert (E1' := fun x => iff_trans (E1 x) (proj2 (E3 x))).
    assert (E2' := fun x => iff_trans (E2 x) (proj1 (E3 x))).
    clear E1 E2. rename E1' into E1, E2' into E2.
    split; [|apply (known_same _ _ _ E1); assumption]. destruct claims as [[b1 b2] b3].
    destruct S1 as [A1 [A2 A3]]. repeat split; first [eapply (between_same _ _ _ E1)|eapply
      (between_same _ _ _ E2)]; assumption. }
  assert (Hpast' : forall t claims now, nth_error past t = Some (claims, now) ->
    step_holds claims (over_budgets ls (fun e => bpl_by B e t - e t)) (over_budgets ls
      (fun e => bpl_by B e t)) /\
    known (snd now) (over_budgets ls (fun e => bpl_by B e t))).
  { intros t claims now Hn. destruct (Hpast _ _ _ Hn) as [S1 [_ S2]].
    assert (Ht : (t < List.length ls)%nat) by (rewrite <- Lpast; apply nth_error_Some; congruence).
    pose proof (fun x => losses_BPL _ _ _ ls t x HthoseB Hnonneg Ht) as E1.
    pose proof (fun x => leakages_BPL _ _ _ ls t x HthoseB Hnonneg Ht) as E2.
    split; [|apply (known_same _ _ _ E2); assumption]. destruct claims as [[b1 b2] b3].
    destruct S1 as [A1 [A2 A3]]. repeat split; first [eapply (between_same _ _ _ E1)|eapply
      (between_same _ _ _ E2)]; assumption. }
  cbn [holds]. split; [assumption|]. split; [assumption|].
    split; [|split; [|split; [exact (eq_trans Ltotals Lpast)|]]].
  - split; [rewrite map_length; exact Lpast|]. intros t loss bnds decimals Ht.
    rewrite nth_error_map in Ht.
    destruct (nth_error past t) as [[claims now]|] eqn:En; [|discriminate]. simpl in Ht.
      injection Ht as ->.
    apply (Hpast' t _ _ En).
  - split; [rewrite rev_length, map_length; exact Lfuture|]. intros t loss bnds decimals Ht.
    rewrite <- map_rev, nth_error_map in Ht.
    destruct (nth_error (rev future) t) as [[claims now]|] eqn:En; [|discriminate]. simpl in Ht.
      injection Ht as ->.
    apply (Hfuture' t _ _ En).
  - intros t b Hb. destruct (Htotals t b Hb) as [x [y [Hx [Hy Hall]]]].
    rewrite nth_error_map in Hx. destruct (nth_error past t) as [[claims now]|] eqn:En;
      [|discriminate]. simpl in Hx. injection Hx as <-.
    rewrite <- map_rev, nth_error_map in Hy. destruct (nth_error (rev future) t)
      as [[claims' now']|] eqn:En'; [|discriminate].
    simpl in Hy. injection Hy as <-.
    assert (Ht : (t < List.length ls)%nat) by (rewrite <- Lpast; apply nth_error_Some; congruence).
    eapply (between_same _ _ _ (fun x => over_budgets_total B F ls t x Ht)).
      apply Hall.
    + apply (Hpast' t _ _ En).
    + apply (Hfuture' t _ _ En').
    + destruct (budgets_some ls Hnonneg) as [e He]. eexists. exists e.
      split; [assumption|reflexivity].
Qed.
