(** The verified checker on leakage over time: the recursions, step by step. *)

From TPL Require Export CheckLoss.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** A correlation: a matrix, or null for the matrix of no rows. *)
Definition read_correlation (j : json) : result distributions :=
  match j with Null => Done {| given := []; units := []; common := 1 |} | _ => read_matrix j end.

Definition same_size (B F : distributions) : bool :=
  match given B, given F with [], _ | _, [] => true | b, f => Nat.eqb (List.length b)
    (List.length f) end.

(** The two correlations of a user. *)
Definition read_known (backward forward : json) : result (distributions * distributions) :=
  let! B := inside "backward" (read_correlation backward) in
  let! F := inside "forward" (read_correlation forward) in
  let! _ := inside "forward" (require (same_size B F) "it is not as large as the other matrix") in
  Done (B, F).

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

(** All steps in the order of the recursion. *)
Fixpoint check_steps (bits : Z) (M : distributions) (before : enclosures) (budgets :
  list enclosure) (l : list json)
  : result (list ((bounds * bounds * bounds) * (enclosures * enclosures))) :=
  match budgets, l with
  | [], [] => Done []
  | budget :: budgets', j :: l' =>
      let! one := check_step bits M before budget j in
      let! others := check_steps bits M (snd (snd one)) budgets' l' in
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

Definition check_leakage (l : list json) : result claim :=
  match l with
  | [d; backward; forward; epsilons; bpl; fpl; tpl] =>
      let! bits := inside "digits" (digits d) in
      let! asked := inside "epsilons" (some_items most_steps epsilons) in
      let! budgets := inside "epsilons" (each (read_level bits) asked) in
      let! (B, F) := read_known backward forward in
      let! steps := inside "bpl" (items bpl) in
      let! past := inside "bpl" (check_steps bits B (zero, zero) (map snd budgets) steps) in
      let! steps := inside "fpl" (items fpl) in
      let! future := inside "fpl" (check_steps bits F (zero, zero) (rev (map snd budgets))
        (rev steps)) in
      let! totals := inside "tpl" (items tpl) in
      let! sums := inside "tpl" (check_totals bits (map (fun r => snd (snd r)) past)
        (rev (map (fun r => fst (snd r)) future)) totals) in
      Done (Leakage (given B) (given F) (map fst budgets) (map fst past) (rev (map fst future))
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

(** The leakages after a budget, of the leakages before; and so on through the budgets. *)
Definition leakages_of (P : list (list rational)) (X : R -> Prop) (l : written_level) : R ->
  Prop :=
  added_sets (stands_for l) (losses P X).
Fixpoint leakages_at (P : list (list rational)) (X : R -> Prop) (ls : list written_level) (i :
  nat) : R -> Prop :=
  match i, ls with
  | S i', l :: ls' => leakages_at P (leakages_of P X l) ls' i'
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

Lemma check_steps_sound bits M (HM : well_formed (List.length (given M)) M) ls budgets : 
  Forall2 (fun e l => encloses e (of_level l) /\ nonneg (of_level l)) budgets ls ->
  forall before j steps X, all_nonneg X -> (exists x, X x) -> known before X ->
  check_steps bits M before budgets j = Done steps ->
  List.length steps = List.length ls /\
  forall i claims now, nth_error steps i = Some (claims, now) ->
    step_holds claims (losses (given M) (leakages_at (given M) X ls i)) (leakages_at (given M) X ls
      (S i)) /\
    known (fst now) (losses (given M) (leakages_at (given M) X ls i)) /\
      known (snd now) (leakages_at (given M) X ls (S i)).
Proof.
  pose proof (well_formed_stochastic M HM) as HP.
  induction 1 as [|e l budgets ls Hel _ IH]; intros before j steps X H0 HX Hb H;
    destruct j as [|one j]; cbn [check_steps] in H; try discriminate.
  - injection H as <-. split; [reflexivity|]. intros [|i]; discriminate.
  - destruct Hel as [He Hl]. step H. injection H as <-. destruct a as [claims now].
    destruct (check_step_sound bits M before e l one claims now X HM He Hl H0 HX Hb E)
      as [S1 [S2 S3]].
    destruct (IH _ _ _ (leakages_of (given M) X l) (all_nonneg_leakages _ _ _ HP H0) (leakages_some
      _ _ _ Hl HX) S3 E0) as [El Hall].
    split; [simpl; congruence|]. intros [|i] claims' now' Hi; cbn [nth_error] in Hi.
    + injection Hi as <- <-. destruct ls; auto.
    + apply Hall in Hi. exact Hi.
Qed.

(** ** The sets are those of the recursions *)

Lemma budgets_some ls : Forall (fun l => nonneg (of_level l)) ls -> exists e, budgets ls e.
Proof.
  induction 1 as [|l ls Hl _ [e He]]; [exists (fun _ => 0); intros t Ht; simpl in Ht; lia|].
  destruct (stands_for_some l Hl) as [x Hx]. exists (fun t => match t with O => x | S s =>
    e s end).
  intros [|t] Ht; simpl in *; [assumption|apply He; lia].
Qed.

Fixpoint run (P : list (list rational)) (y : R) (e : nat -> R) (t : nat) : R :=
  e t + loss (List.length P) (of_matrix P) (match t with O => y | S s => run P y e s end).

Lemma run_first P y e t : run P y e (S t) = run P (e 0%nat + loss (List.length P) (of_matrix P) y)
  (fun s => e (S s)) t.
Proof. induction t as [|t IH]; [reflexivity|]. change (run P y e (S (S t)))
  with (e (S (S t)) + loss (List.length P) (of_matrix P) (run P y e (S t))). rewrite IH.
  reflexivity. Qed.

Lemma leakages_run P ls : Forall (fun l => nonneg (of_level l)) ls -> forall X i x,
  (i < List.length ls)%nat ->
  (leakages_at P X ls (S i) x <-> exists y e, X y /\ budgets ls e /\ x = run P y e i).
Proof.
  induction 1 as [|l ls Hl Hls IH]; intros X i x Hi; simpl in Hi; [lia|]. destruct i as [|i].
  - cbn [leakages_at]. replace (leakages_at P (leakages_of P X l) ls 0) with (leakages_of P X l)
    by (destruct ls; reflexivity).
    split.
    + intros [e0 [z [He [[y [Hy ->]] ->]]]]. destruct (budgets_some ls Hls) as [e Hb].
      exists y, (fun t => match t with O => e0 | S s => e s end). repeat split; auto;
        destruct t as [|t]; simpl in *; try apply He; try apply Hb; try lia.
    + intros [y [e [Hy [Hb ->]]]]. exists (e 0%nat), (loss (List.length P) (of_matrix P) y).
      split; [apply (Hb 0%nat); simpl; lia|]. split; [exists y; auto|reflexivity].
  - change (leakages_at P X (l :: ls) (S (S i)) x) with (leakages_at P (leakages_of P X l) ls (S i)
    x).
    rewrite (IH (leakages_of P X l) i x) by lia. split.
    + intros [z [e [[e0 [w [He [[y [Hy ->]] ->]]]] [Hb ->]]]].
      exists y, (fun t => match t with O => e0 | S s => e s end). split; [assumption|]. split.
      * intros [|t] Ht; [exact He|apply Hb; simpl in Ht; lia].
      * rewrite run_first. reflexivity.
    + intros [y [e [Hy [Hb ->]]]].
      exists (e 0%nat + loss (List.length P) (of_matrix P) y), (fun s => e (S s)). split; [|split].
      * exists (e 0%nat), (loss (List.length P) (of_matrix P) y). split; [apply (Hb 0%nat); simpl;
        lia|]. split; [exists y; auto|reflexivity].
      * intros t Ht. apply (Hb (S t)). simpl. lia.
      * apply run_first.
Qed.

Lemma loss_zero n P : stochastic n P -> loss n P 0 = 0.
Proof. intros HP. pose proof (remark_1 n P 0 HP ltac:(lra)). lra. Qed.

Lemma run_bpl P e t : stochastic (List.length P) (of_matrix P) -> run P 0 e t = bpl_by P e t.
Proof.
  intros HP. unfold bpl_by. induction t as [|t IH]; simpl.
  - rewrite loss_zero by assumption. ring.
  - rewrite IH. ring.
Qed.

Lemma leakages_bpl P ls i x : stochastic (List.length P) (of_matrix P) -> Forall (fun l =>
  nonneg (of_level l)) ls ->
  (i < List.length ls)%nat ->
  (leakages_at P (fun y => y = 0) ls (S i) x <-> over_budgets ls (fun e => bpl_by P e i) x).
Proof.
  intros HP Hls Hi. rewrite leakages_run by assumption. split.
  - intros [y [e [-> [Hb ->]]]]. exists e. split; [assumption|]. apply run_bpl. assumption.
  - intros [e [Hb ->]]. exists 0, e. repeat split; auto; try apply Hb; auto. symmetry.
    apply run_bpl. assumption.
Qed.

Lemma losses_bpl P ls i x : stochastic (List.length P) (of_matrix P) -> Forall (fun l =>
  nonneg (of_level l)) ls ->
  (i < List.length ls)%nat ->
  (losses P (leakages_at P (fun y => y = 0) ls i) x <-> over_budgets ls (fun e =>
    bpl_by P e i - e i) x).
Proof.
  intros HP Hls Hi. destruct i as [|i].
  - replace (leakages_at P (fun y => y = 0) ls 0) with (fun y => y = 0) by (destruct ls;
    reflexivity). split.
    + intros [y [-> ->]]. destruct (budgets_some ls Hls) as [e Hb]. exists e. split; [assumption|].
      rewrite loss_zero by assumption. unfold bpl_by. simpl. ring.
    + intros [e [Hb ->]]. exists 0. split; [reflexivity|]. rewrite loss_zero by assumption.
      unfold bpl_by. simpl. ring.
  - split.
    + intros [y [Hy ->]]. apply leakages_bpl in Hy; auto; [|lia]. destruct Hy as [e [Hb ->]].
      exists e. split; [assumption|].
      unfold bpl_by. simpl. ring.
    + intros [e [Hb ->]]. exists (bpl_by P e i). split; [apply leakages_bpl; auto; [lia|];
      exists e; auto|].
      unfold bpl_by. simpl. ring.
Qed.

Lemma BPL_ext n B e e' t : (forall s, (s <= t)%nat -> e s = e' s) -> BPL n B e t = BPL n B e' t.
Proof. induction t as [|t IH]; intros H; simpl; [apply H; lia|]. rewrite IH, H by auto.
  reflexivity. Qed.

Lemma FPL_turned n P e t k : FPL n (fun _ => P) e t k = BPL n (fun _ => P) (turned (t + k) e) k.
Proof.
  revert t. induction k as [|k IH]; intros t; simpl.
  - unfold turned. f_equal. lia.
  - rewrite IH. replace (S t + k)%nat with (t + S k)%nat by lia. f_equal. unfold turned. f_equal.
    lia.
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
  (over_budgets (rev ls) (fun e => bpl_by F e (T - 1 - t)) x <-> over_budgets ls (fun e =>
    fpl_by F e T t) x) /\
  (over_budgets (rev ls) (fun e => bpl_by F e (T - 1 - t) - e (T - 1 - t)%nat) x <->
   over_budgets ls (fun e => fpl_by F e T t - e t) x).
Proof.
  intros Ht T.
  assert (H1 : forall e, fpl_by F (turned (T - 1) e) T t = bpl_by F e (T - 1 - t)).
  { intros e. unfold fpl_by, bpl_by. rewrite FPL_turned. apply BPL_ext. intros s Hs. unfold turned.
    f_equal. lia. }
  assert (H2 : forall e, bpl_by F (turned (T - 1) e) (T - 1 - t) = fpl_by F e T t).
  { intros e. unfold fpl_by, bpl_by. rewrite FPL_turned. apply BPL_ext. intros s Hs. unfold turned.
    f_equal. lia. }
  assert (H3 : forall e, budgets ls e -> budgets (rev ls) (turned (T - 1) e)).
  { intros e He. pose proof (budgets_turned (rev ls) e) as H. rewrite rev_involutive, rev_length in
    H. auto. }
  assert (H4 : forall e : nat -> R, turned (T - 1) e t = e (T - 1 - t)%nat) by reflexivity.
  assert (H5 : forall e : nat -> R, turned (T - 1) e (T - 1 - t)%nat = e t) by (intros e;
    unfold turned; f_equal; lia).
  split; split; intros [e [He ->]]; exists (turned (T - 1) e);
    (split; [first [exact (budgets_turned ls e He)|exact (H3 e He)]|cbv beta]).
  - rewrite H1. reflexivity.
  - rewrite H2. reflexivity.
  - rewrite H1, H4. reflexivity.
  - rewrite H2, H5. reflexivity.
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

Lemma read_correlation_sound j M : read_correlation j = Done M ->
  well_formed (List.length (given M)) M.
Proof.
  intros H. destruct j; try (apply read_matrix_sound in H; apply H). injection H as <-.
    repeat split; simpl in *; try lia.
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

Lemma read_known_sound backward forward B F : read_known backward forward = Done (B, F) ->
  well_formed (List.length (given B)) B /\ well_formed (List.length (given F)) F /\
    same_size B F = true.
Proof.
  unfold read_known. intros H. step H. injection H as <- <-. clean.
  repeat match goal with E : read_correlation _ = Done _ |- _ => apply read_correlation_sound in
    E end. auto.
Qed.

Lemma check_leakage_sound l c : check_leakage l = Done c -> holds c.
Proof.
  unfold check_leakage. intros H. do 7 (destruct l as [|? l]; [discriminate|]).
    destruct l; [|discriminate].
  step H. open_pairs. injection H as <-. clean.
  match goal with E : read_known _ _ = Done (?one, ?other) |- _ =>
    rename one into B, other into F; destruct (read_known_sound _ _ _ _ E) as [HB [HF _]];
      clear E end.
  match goal with E : each (read_level _) _ = Done ?x |- _ => rename x into asked;
    apply each_levels in E; rename E into Hls end.
  set (ls := map fst asked) in *.
  assert (Hlen : List.length (map snd asked) = List.length ls) by (unfold ls; rewrite !map_length;
    reflexivity).
  pose proof (Forall2_nonneg _ _ Hls) as Hnonneg.
  assert (Hls' : Forall2 (fun e w => encloses e (of_level w) /\ nonneg (of_level w))
    (rev (map snd asked)) (rev ls)).
  { clear - Hls. induction Hls; simpl; [constructor|]. apply Forall2_app; auto. }
  pose proof (Forall2_nonneg _ _ Hls') as Hnonneg'.
  pose proof (well_formed_stochastic B HB) as HPB. pose proof (well_formed_stochastic F HF) as HPF.
  assert (H00 : all_nonneg (fun y => y = 0)) by (intros y ->; lra).
  match goal with E : check_steps _ B _ _ _ = Done ?x |- _ => rename x into past;
    destruct (check_steps_sound _ B HB ls _ Hls _ _ _ _ H00 (ex_intro _ 0 eq_refl) zero_known E)
      as [Lpast Hpast] end.
  match goal with E : check_steps _ F _ _ _ = Done ?x |- _ => rename x into future;
    destruct (check_steps_sound _ F HF (rev ls) _ Hls' _ _ _ _ H00 (ex_intro _ 0 eq_refl)
      zero_known E) as [Lfuture Hfuture] end.
  match goal with E : check_totals _ _ _ _ = Done ?x |- _ => rename x into totals;
    destruct (check_totals_sound _ _ _ _ _ E) as [Ltotals Htotals] end.
  rewrite map_length in Ltotals. rewrite rev_length in Lfuture.
  assert (Hfuture' : forall t claims now, nth_error (rev future) t = Some (claims, now) ->
    step_holds claims (over_budgets ls (fun e => fpl_by (given F) e (List.length ls) t - e t))
      (over_budgets ls (fun e => fpl_by (given F) e (List.length ls) t)) /\
    known (fst now) (over_budgets ls (fun e => fpl_by (given F) e (List.length ls) t - e t))).
  { intros t claims now Ht. apply nth_error_rev in Ht. destruct Ht as [Ht Hn].
    rewrite Lfuture in *.
    destruct (Hfuture _ _ _ Hn) as [S1 [S2 _]].
    assert (E1 : forall x, losses (given F) (leakages_at (given F) (fun y => y = 0) (rev ls)
      (List.length ls - 1 - t)) x <->
      over_budgets ls (fun e => fpl_by (given F) e (List.length ls) t - e t) x).
    { intros x. rewrite losses_bpl; auto; [|rewrite rev_length; lia].
      apply (over_budgets_fpl (given F) ls t x Ht). }
    assert (E2 : forall x, leakages_at (given F) (fun y => y = 0) (rev ls)
      (S (List.length ls - 1 - t)) x <->
      over_budgets ls (fun e => fpl_by (given F) e (List.length ls) t) x).
    { intros x. rewrite leakages_bpl; auto; [|rewrite rev_length; lia].
      apply (over_budgets_fpl (given F) ls t x Ht). }
    split; [|apply (known_same _ _ _ E1); assumption]. destruct claims as [[b1 b2] b3].
    destruct S1 as [A1 [A2 A3]]. repeat split; first [eapply (between_same _ _ _ E1)|eapply
      (between_same _ _ _ E2)]; assumption. }
  assert (Hpast' : forall t claims now, nth_error past t = Some (claims, now) ->
    step_holds claims (over_budgets ls (fun e => bpl_by (given B) e t - e t)) (over_budgets ls
      (fun e => bpl_by (given B) e t)) /\
    known (snd now) (over_budgets ls (fun e => bpl_by (given B) e t))).
  { intros t claims now Hn. destruct (Hpast _ _ _ Hn) as [S1 [_ S2]].
    assert (Ht : (t < List.length ls)%nat) by (rewrite <- Lpast; apply nth_error_Some; congruence).
    pose proof (fun x => losses_bpl (given B) ls t x HPB Hnonneg Ht) as E1.
    pose proof (fun x => leakages_bpl (given B) ls t x HPB Hnonneg Ht) as E2.
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
    eapply (between_same _ _ _ (fun x => over_budgets_total (given B) (given F) ls t x Ht)).
      apply Hall.
    + apply (Hpast' t _ _ En).
    + apply (Hfuture' t _ _ En').
    + destruct (budgets_some ls Hnonneg) as [e He]. eexists. exists e.
      split; [assumption|reflexivity].
Qed.
