(** Leakage over time in integers: the recursions, with a matrix and a budget of its own at each step. *)

From TPL Require Export ComputeLoss.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** ** The program *)

(** A correlation: null for one that is not known, a matrix for all steps, as many matrices as steps, or matrices that repeat.
    What is read of it are its steps, and its number of values where it has any matrix. *)
Definition no_matrix : distributions := {| given := []; units := []; common := 1 |}.
Definition size_of (Ms : list distributions) : nat := match Ms with [] => 0%nat | M :: _ => List.length (given M) end.
Definition one_size (Ms : list distributions) : bool := forallb (fun M => Nat.eqb (List.length (given M)) (size_of Ms)) Ms.
Definition read_matrices (l : list json) : result (list distributions) :=
  let! Ms := each read_matrix l in
  let! _ := require (one_size Ms) "matrices of one size are expected" in
  Done Ms.
Definition repeated (count : nat) (Ms : list distributions) : list distributions :=
  map (fun s => nth (s mod List.length Ms) Ms no_matrix) (seq 0 count).
Definition read_steps (count : nat) (j : json) : result (nat * list distributions) :=
  match j with
  | Null => Done (0%nat, repeat no_matrix count)
  | Fields [(key, Items l)] =>
      let! Ms := read_matrices l in
      if String.eqb key "steps" then
        let! _ := require (Nat.eqb (List.length Ms) count) "one matrix fewer than budgets is expected" in
        Done (size_of Ms, Ms)
      else
        let! _ := require (String.eqb key "cycle" && negb (Nat.eqb (List.length Ms) 0)) "steps or a cycle are expected" in
        Done (size_of Ms, repeated count Ms)
  | _ =>
      let! M := read_matrix j in
      Done (List.length (given M), repeat M count)
  end.

(** The two correlations and the budgets of a request. *)
Record stream := { budgets_of : list (written_level * ratios);
  past_size : nat; past_steps : list distributions; future_size : nat; future_steps : list distributions }.
Definition read_stream_of (bits : Z) (backward forward epsilons : json) : result stream :=
  let! asked := inside "epsilons" (some_items most_steps epsilons) in
  let! budgets := inside "epsilons" (each (read_finite bits) asked) in
  let count := (List.length budgets - 1)%nat in
  let! (nB, Bs) := inside "backward" (read_steps count backward) in
  let! (nF, Fs) := inside "forward" (read_steps count forward) in
  let! _ := inside "forward" (require (Nat.eqb nB 0 || Nat.eqb nF 0 || Nat.eqb nB nF) "it is not as large as the other correlation") in
  Done {| budgets_of := budgets; past_size := nB; past_steps := Bs; future_size := nF; future_steps := Fs |}.

(** The product; and fractions of fewer digits around, where there are two. *)
Definition times (r s : ratios) : ratios :=
  ((fst (fst r) * fst (fst s), snd (fst r) * snd (fst s)), (fst (snd r) * fst (snd s), snd (snd r) * snd (snd s))).
Definition shortened (bits : Z) (r : ratios) : ratios :=
  if is_exact r then r
  else ((divide false (fst (fst r) * two_to bits) (snd (fst r)), two_to bits),
        (divide true (fst (snd r) * two_to bits) (snd (snd r)), two_to bits)).

(** At each time what the past adds, and the leakage; in the order of the recursion. *)
Definition nothing_told : ratios := ((1, 1), (1, 1)).
Fixpoint recursion (bits : Z) (before : ratios) (Ms : list distributions) (budgets : list ratios) : list (ratios * ratios) :=
  match Ms, budgets with
  | M :: Ms', e :: budgets' =>
      let added := loss_ratios M before in
      let now := shortened bits (times added e) in
      (added, now) :: recursion bits now Ms' budgets'
  | _, _ => []
  end.
Definition leakages (bits : Z) (Ms : list distributions) (budgets : list ratios) : list (ratios * ratios) :=
  match budgets with [] => [] | e :: budgets' => (nothing_told, e) :: recursion bits e Ms budgets' end.

(** BPL, FPL and TPL at each time. *)
Definition answer_leakage (bits : Z) (backward forward epsilons : json) : result (list (ratios * ratios * ratios)) :=
  let! s := read_stream_of bits backward forward epsilons in
  let budgets := map snd (budgets_of s) in
  let past := leakages bits (past_steps s) budgets in
  let future := rev (leakages bits (rev (future_steps s)) (rev budgets)) in
  Done (map (fun both => (snd (fst both), snd (snd both), times (snd (fst both)) (fst (snd both)))) (combine past future)).

(** ** What a request states *)

(** A correlation in so many steps, as [writes_correlation] has one of a single matrix. *)
Definition writes_steps (j : json) (count : nat) (Ps : list (list (list rational))) : Prop :=
  List.length Ps = count /\
  (j = Null /\ (forall P, In P Ps -> P = []) \/
   (exists P, writes_matrix j P /\ forall Q, In Q Ps -> Q = P) \/
   (exists l, j = Fields [("steps", Items l)] /\ Forall2 writes_matrix l Ps) \/
   exists l all, j = Fields [("cycle", Items l)] /\ Forall2 writes_matrix l all /\ all <> [] /\
     forall s, (s < count)%nat -> nth s Ps [] = nth (s mod List.length all) all []).
Definition steps_of (Ps : list (list (list rational))) (s : nat) : nat -> nat -> R := of_matrix (nth s Ps []).

(** The budgets, both correlations in their steps, and how many values those have: none, where they are not known or of no step. *)
Definition states_stream (backward forward epsilons : json) (ls : list written_level) (nB nF : nat) (Bs Fs : list (list (list rational)))
  : Prop :=
  let count := (List.length ls - 1)%nat in
  writes_list writes_level epsilons ls /\ writes_steps backward count Bs /\ writes_steps forward count Fs /\
  (forall s, (s < count)%nat -> List.length (nth s Bs []) = nB /\ stochastic nB (steps_of Bs s)) /\
  (forall s, (s < count)%nat -> List.length (nth s Fs []) = nF /\ stochastic nF (steps_of Fs s)).

Open Scope R_scope.

Lemma each_all {A} (f : json -> result A) (good : A -> Prop) at_item l found :
  (forall j a, f j = Done a -> good a) -> each_from at_item f l = Done found -> forall a, In a found -> good a.
Proof.
  intros Hf. revert at_item found. induction l as [|j l IH]; intros at_item found H a Ha; cbn [each_from] in H.
  - injection H as <-. destruct Ha.
  - destruct (f j) as [x| |] eqn:E; try (cbn in H; discriminate).
    apply bind_done in H. destruct H as [others [Ho H]]. injection H as <-. destruct Ha as [<-|Ha]; [eauto|eapply IH; eassumption].
Qed.

(** Steps of n values each, in integers; where there are none of no values, those of a correlation that is not known. *)
Definition sized (n : nat) (M : distributions) : Prop := List.length (given M) = n /\ well_formed n M.

Lemma no_matrix_sized : sized 0 no_matrix.
Proof. repeat split; cbn in *; try lia. Qed.

Lemma matrices_read l Ms : read_matrices l = Done Ms ->
  Forall2 writes_matrix l (map given Ms) /\ forall M, In M Ms -> sized (size_of Ms) M.
Proof.
  unfold read_matrices. intros H. apply bind_done in H. destruct H as [Ms' [E H]]. apply bind_done in H. destruct H as [? [Hs H]].
  injection H as ->. apply require_done in Hs. unfold one_size in Hs. rewrite forallb_forall in Hs. split.
  - pose proof (each_read read_matrix (fun j M => writes_matrix j (given M)) _ _ _ matrix_read E) as F. clear - F.
    induction F; constructor; auto.
  - intros M HM. specialize (Hs M HM). apply Nat.eqb_eq in Hs. split; [assumption|]. rewrite <- Hs.
    apply (each_all read_matrix (fun M => well_formed (List.length (given M)) M) _ _ _ (fun j M E => proj1 (read_matrix_sound j M E)) E).
    assumption.
Qed.

Lemma read_steps_sound count j n Ms : read_steps count j = Done (n, Ms) ->
  writes_steps j count (map given Ms) /\ List.length Ms = count /\ forall M, In M Ms -> sized n M.
Proof.
  assert (Hone : forall M, read_matrix j = Done M -> n = List.length (given M) -> Ms = repeat M count ->
    writes_steps j count (map given Ms) /\ List.length Ms = count /\ forall M, In M Ms -> sized n M).
  { intros M HM -> ->. split; [|split; [apply repeat_length|]].
    - split; [rewrite map_length; apply repeat_length|]. right. left. exists (given M). split; [apply matrix_read; assumption|].
      intros Q HQ. apply in_map_iff in HQ. destruct HQ as [N [<- HN]]. apply repeat_spec in HN. congruence.
    - intros N HN. apply repeat_spec in HN. subst N. split; [reflexivity|]. apply (read_matrix_sound j M HM). }
  assert (Hmatrix : (let! M := read_matrix j in Done (List.length (given M), repeat M count)) = Done (n, Ms) ->
    writes_steps j count (map given Ms) /\ List.length Ms = count /\ forall M, In M Ms -> sized n M).
  { intros H. apply bind_done in H. destruct H as [M [HM H]]. injection H as <- <-. eauto. }
  unfold read_steps. intros H. destruct j as [| | |fields| |]; try (apply Hmatrix; exact H).
  - destruct fields as [|[key value] [|? ?]]; try (apply Hmatrix; exact H); destruct value; try (apply Hmatrix; exact H). clear Hone Hmatrix.
    apply bind_done in H. destruct H as [all [Hall H]]. destruct (matrices_read _ _ Hall) as [Hw Hgood].
    destruct (String.eqb_spec key "steps") as [->|_].
    + apply bind_done in H. destruct H as [? [Hl H]]. apply require_done, Nat.eqb_eq in Hl. injection H as <- <-.
      split; [|auto]. split; [rewrite map_length; assumption|]. right. right. left. eauto.
    + apply bind_done in H. destruct H as [? [Hl H]]. apply require_done, andb_prop in Hl. destruct Hl as [Hk Hl].
      apply String.eqb_eq in Hk. subst key. apply negb_true_iff, Nat.eqb_neq in Hl. injection H as <- <-.
      assert (Hmod : forall s, (s mod List.length all < List.length all)%nat) by (intros s; apply Nat.mod_upper_bound; assumption).
      unfold repeated. split; [|split; [rewrite map_length, seq_length; reflexivity|]].
      * split; [rewrite !map_length, seq_length; reflexivity|]. right. right. right. exists items, (map given all).
        split; [reflexivity|]. split; [assumption|]. split; [destruct all; [contradiction Hl; reflexivity|discriminate]|].
        intros s Hs. rewrite map_map. rewrite (nth_indep _ [] (given (nth (0 mod List.length all) all no_matrix)))
          by (rewrite map_length, seq_length; assumption).
        rewrite (map_nth (fun s => given (nth (s mod List.length all) all no_matrix))), seq_nth by assumption.
        rewrite map_length. change (@nil (list rational)) with (given no_matrix). rewrite map_nth. reflexivity.
      * intros M HM. apply in_map_iff in HM. destruct HM as [s [<- _]]. apply Hgood, nth_In, Hmod.
  - injection H as <- <-. split; [|split; [apply repeat_length|]].
    + split; [rewrite map_length; apply repeat_length|]. left. split; [reflexivity|]. intros P HP.
      apply in_map_iff in HP. destruct HP as [M [<- HM]]. apply repeat_spec in HM. subst M. reflexivity.
    + intros M HM. apply repeat_spec in HM. subst M. apply no_matrix_sized.
Qed.

(** What was read of a stream: budgets that span those that are written, and steps. *)
Lemma read_stream_of_sound bits backward forward epsilons s : read_stream_of bits backward forward epsilons = Done s ->
  let count := (List.length (budgets_of s) - 1)%nat in
  states_stream backward forward epsilons (map fst (budgets_of s)) (past_size s) (future_size s)
    (map given (past_steps s)) (map given (future_steps s)) /\
  List.length (past_steps s) = count /\ (forall M, In M (past_steps s) -> sized (past_size s) M) /\
  List.length (future_steps s) = count /\ (forall M, In M (future_steps s) -> sized (future_size s) M) /\
  forall l r, In (l, r) (budgets_of s) ->
    exists v, of_level l = Some v /\ 0 <= v /\ spans r v /\ (forall y, l = Log y -> fst r = snd r).
Proof.
  unfold read_stream_of. intros H. apply bind_done in H. destruct H as [asked [Ha H]]. apply bind_done in H. destruct H as [budgets [Hb H]].
  apply bind_done in H. destruct H as [[nB Bs] [HB H]]. apply bind_done in H. destruct H as [[nF Fs] [HF H]].
  apply bind_done in H. destruct H as [? [_ H]]. injection H as <-. cbn [budgets_of past_size past_steps future_size future_steps].
  apply inside_done in Ha, Hb, HB, HF. apply read_steps_sound in HB, HF.
  destruct HB as [WB [LB GB]]. destruct HF as [WF [LF GF]]. apply some_items_read in Ha. subst epsilons.
  assert (Hsteps : forall n Ms s, (forall M, In M Ms -> sized n M) -> (s < List.length Ms)%nat ->
    List.length (nth s (map given Ms) []) = n /\ stochastic n (steps_of (map given Ms) s)).
  { intros n Ms s HMs Hs. unfold steps_of. change (@nil (list rational)) with (given no_matrix). rewrite map_nth.
    destruct (HMs (nth s Ms no_matrix) (nth_In _ _ Hs)) as [En HM]. split; [assumption|].
    rewrite <- En in *. apply well_formed_stochastic. assumption. }
  split; [|split; [assumption|split; [assumption|split; [assumption|split; [assumption|]]]]].
  - unfold states_stream. rewrite map_length. split; [|split; [assumption|split; [assumption|split]]].
    + exists asked. split; [reflexivity|].
      pose proof (each_read _ (fun j p => writes_level j (fst p)) _ _ _
        (fun j p E => proj1 (read_finite_sound bits j (fst p) (snd p) ltac:(destruct p; exact E))) Hb) as F.
      clear - F. induction F; constructor; auto.
    + intros s Hs. apply Hsteps; [assumption|lia].
    + intros s Hs. apply Hsteps; [assumption|lia].
  - intros l r Hlr. apply (each_all (read_finite bits) (fun p => exists v, of_level (fst p) = Some v /\ 0 <= v /\ spans (snd p) v /\
      (forall y, fst p = Log y -> fst (snd p) = snd (snd p))) _ _ _
      (fun j p E => proj2 (read_finite_sound bits j (fst p) (snd p) ltac:(destruct p; exact E))) Hb (l, r) Hlr).
Qed.

(** ** The recursions *)

Lemma times_sound r s v w : spans r v -> spans s w -> spans (times r s) (v + w) /\
  (fst r = snd r -> fst s = snd s -> fst (times r s) = snd (times r s)).
Proof.
  intros [R1 [R2 Hv]] [S1 [S2 Hw]]. unfold times. split; [|cbn [fst snd]; congruence].
  split; [cbn [fst snd]; nia|]. split; [cbn [fst snd]; nia|].
  pose proof (quotient_one _ R1). pose proof (quotient_one _ S1). pose proof (quotient_one _ R2). pose proof (quotient_one _ S2).
  assert (E : forall p q, (0 < snd p)%Z -> (0 < snd q)%Z -> quotient (fst p * fst q, snd p * snd q)%Z = quotient p * quotient q).
  { intros p q Hp Hq. unfold quotient. cbn [fst snd]. apply IZR_lt in Hp, Hq. rewrite !mult_IZR. field. lra. }
  cbn [fst snd]. rewrite !E, exp_plus by tauto. split; apply Rmult_le_compat; lra.
Qed.

Lemma shortened_sound bits r v : spans r v -> spans (shortened bits r) v /\ (fst r = snd r -> shortened bits r = r).
Proof.
  intros Hr. unfold shortened. destruct (is_exact r) eqn:E; [auto|]. destruct Hr as [R1 [R2 Hv]].
  pose proof (two_to_positive bits) as Hu. set (u := two_to bits) in *. split.
  - assert (L : (u <= divide false (fst (fst r) * u) (snd (fst r)))%Z) by (cbn [divide]; apply Z.div_le_lower_bound; nia).
    pose proof (divide_down (fst (fst r) * u) (snd (fst r)) ltac:(lia)) as D. pose proof (divide_up (fst (snd r) * u) (snd (snd r)) ltac:(lia)) as U.
    pose proof R1 as [P1 _]. pose proof R2 as [P2 _]. apply IZR_lt in P1, P2, Hu as HU. rewrite mult_IZR in D, U.
    assert (D' : quotient (divide false (fst (fst r) * u) (snd (fst r)), u)%Z <= quotient (fst r)).
    { unfold quotient. cbn [fst snd]. apply Rmult_le_reg_r with (IZR u * IZR (snd (fst r))); [apply Rmult_lt_0_compat; assumption|].
      eapply Rle_trans; [|eapply Rle_trans; [exact D|]]; right; field; lra. }
    assert (U' : quotient (snd r) <= quotient (divide true (fst (snd r) * u) (snd (snd r)), u)%Z).
    { unfold quotient. cbn [fst snd]. apply Rmult_le_reg_r with (IZR u * IZR (snd (snd r))); [apply Rmult_lt_0_compat; assumption|].
      eapply Rle_trans; [|eapply Rle_trans; [exact U|]]; right; field; lra. }
    unfold spans. cbn [fst snd]. split; [lia|]. split; [split; [lia|]|split; lra].
    apply (one_quotient (divide true (fst (snd r) * u) (snd (snd r)), u)%Z); [cbn; lia|]. pose proof (quotient_one _ R2). lra.
  - intros Er. unfold is_exact in E. rewrite <- Er, !Z.eqb_refl in E. discriminate.
Qed.

Lemma nothing_told_sound : spans nothing_told 0.
Proof. unfold spans, nothing_told, quotient. cbn [fst snd]. rewrite exp_0. split; [lia|]. split; [lia|]. lra. Qed.

Definition matrix_of (Ms : list distributions) (s : nat) : nat -> nat -> R := of_matrix (given (nth s Ms no_matrix)).

(** The budgets at the times from a first one on. *)
Definition budgets_span (budgets : list ratios) (e : nat -> R) : Prop :=
  forall t, (t < List.length budgets)%nat -> spans (nth t budgets nothing_told) (e t).
Definition all_exact (budgets : list ratios) : Prop := forall r, In r budgets -> fst r = snd r.

(** BPL after a leakage x, with matrices and budgets of their own. *)
Fixpoint after (n : nat) (B : nat -> nat -> nat -> R) (e : nat -> R) (x : R) (i : nat) : R :=
  match i with O => loss n (B 0%nat) x + e 0%nat | S i' => loss n (B i) (after n B e x i') + e i end.
Lemma after_shift n B e x i :
  after n (fun s => B (S s)) (fun s => e (S s)) (loss n (B 0%nat) x + e 0%nat) i = after n B e x (S i).
Proof. induction i as [|i IH]; [reflexivity|]. cbn [after] in *. rewrite IH. reflexivity. Qed.
Lemma BPL_after n B e i : BPL n B e (S i) = after n B (fun s => e (S s)) (e 0%nat) i.
Proof. induction i as [|i IH]; [reflexivity|]. cbn [after]. rewrite <- IH. reflexivity. Qed.

Lemma recursion_spec n bits Ms : (forall M, In M Ms -> sized n M) -> forall budgets before e x,
  List.length budgets = List.length Ms -> budgets_span budgets e -> spans before x ->
  List.length (recursion bits before Ms budgets) = List.length Ms /\
  forall i, (i < List.length Ms)%nat -> let r := nth i (recursion bits before Ms budgets) (nothing_told, nothing_told) in
  spans (fst r) (after n (matrix_of Ms) e x i - e i) /\ spans (snd r) (after n (matrix_of Ms) e x i) /\
  (all_exact budgets -> fst before = snd before -> fst (fst r) = snd (fst r) /\ fst (snd r) = snd (snd r)).
Proof.
  induction Ms as [|M Ms IH]; intros HMs [|b budgets] before e x Hl Hb Hx; cbn in Hl; try discriminate; cbn [recursion List.length].
  - split; [reflexivity|]. intros; lia.
  - destruct (HMs M (or_introl eq_refl)) as [En HM].
    pose proof (loss_ratios_sound M before x) as Hloss. rewrite En in Hloss. destruct (Hloss HM Hx) as [L1 L2]. clear Hloss.
    pose proof (Hb 0%nat ltac:(cbn; lia)) as Hb0. cbn [nth] in Hb0.
    destruct (times_sound _ _ _ _ L1 Hb0) as [T1 T2]. destruct (shortened_sound bits _ _ T1) as [S1 S2].
    set (now := shortened bits (times (loss_ratios M before) b)) in *.
    destruct (IH ltac:(intros N HN; apply HMs; right; assumption) budgets now (fun s => e (S s)) (loss n (of_matrix (given M)) x + e 0%nat)
      ltac:(congruence)) as [E IH']; [intros t Ht; apply (Hb (S t)); cbn; lia|assumption|].
    split; [rewrite E; reflexivity|]. intros [|i] Hi; cbn [nth].
    + cbn [fst snd after]. replace (loss n (matrix_of (M :: Ms) 0) x + e 0%nat - e 0%nat) with (loss n (matrix_of (M :: Ms) 0) x) by ring.
      split; [assumption|]. split; [assumption|]. intros Hall Hbefore.
      specialize (Hall b (or_introl eq_refl)). specialize (L2 Hbefore). specialize (T2 L2 Hall). rewrite S2 by assumption. auto.
    + specialize (IH' i ltac:(lia)). cbv zeta in IH'.
      change (loss n (of_matrix (given M)) x) with (loss n (matrix_of (M :: Ms) 0) x) in IH'.
      change (matrix_of Ms) with (fun s => matrix_of (M :: Ms) (S s)) in IH'. rewrite after_shift in IH'.
      destruct IH' as [I1 [I2 I3]]. split; [assumption|]. split; [assumption|]. intros Hall Hbefore. apply I3.
      * intros r Hr. apply Hall. right. assumption.
      * specialize (Hall b (or_introl eq_refl)). specialize (L2 Hbefore). specialize (T2 L2 Hall). rewrite S2 by assumption. assumption.
Qed.

Lemma leakages_spec n bits Ms budgets e : (forall M, In M Ms -> sized n M) -> List.length Ms = (List.length budgets - 1)%nat ->
  budgets_span budgets e -> List.length (leakages bits Ms budgets) = List.length budgets /\
  forall t, (t < List.length budgets)%nat -> let r := nth t (leakages bits Ms budgets) (nothing_told, nothing_told) in
  spans (fst r) (BPL n (matrix_of Ms) e t - e t) /\ spans (snd r) (BPL n (matrix_of Ms) e t) /\
  (all_exact budgets -> fst (fst r) = snd (fst r) /\ fst (snd r) = snd (snd r)).
Proof.
  intros HMs Hl Hb. destruct budgets as [|b budgets]; [split; [reflexivity|cbn; intros; lia]|].
  cbn [leakages List.length] in *. pose proof (Hb 0%nat ltac:(cbn; lia)) as Hb0. cbn [nth] in Hb0.
  destruct (recursion_spec n bits Ms HMs budgets b (fun s => e (S s)) (e 0%nat)) as [E H]; [lia|intros t Ht; apply (Hb (S t)); cbn; lia|assumption|].
  split; [rewrite E; lia|]. intros [|t] Ht; cbn [nth].
  - cbn [BPL fst snd]. rewrite Rminus_diag_eq by reflexivity. split; [apply nothing_told_sound|]. split; [assumption|].
    intros Hall. split; [reflexivity|]. apply Hall. left. reflexivity.
  - specialize (H t ltac:(lia)). cbv zeta in H. rewrite <- BPL_after in H. destruct H as [H1 [H2 H3]].
    split; [assumption|]. split; [assumption|]. intros Hall. apply H3.
    + intros r Hr. apply Hall. right. assumption.
    + apply Hall. left. reflexivity.
Qed.

Lemma BPL_same n B B' e e' t : (forall s, (s < t)%nat -> B s = B' s) -> (forall s, (s <= t)%nat -> e s = e' s) ->
  BPL n B e t = BPL n B' e' t.
Proof. induction t as [|t IH]; intros HB He; cbn [BPL]; [apply He; lia|]. rewrite IH, HB, He by auto. reflexivity. Qed.

(** FPL is BPL with times reversed. *)
Lemma FPL_reversed n F e t k : FPL n F e t k = BPL n (fun s => F (t + k - S s)%nat) (turned (t + k) e) k.
Proof.
  revert t. induction k as [|k IH]; intros t; cbn [FPL BPL].
  - unfold turned. f_equal. lia.
  - replace (t + S k)%nat with (S t + k)%nat by lia. rewrite IH.
    replace (turned (S t + k) e (S k)) with (e t) by (unfold turned; f_equal; lia). replace (S t + k - S k)%nat with t by lia. reflexivity.
Qed.

Lemma matrix_of_map Ms s : matrix_of Ms s = steps_of (map given Ms) s.
Proof. unfold matrix_of, steps_of. change (@nil (list rational)) with (given no_matrix). rewrite map_nth. reflexivity. Qed.

(** ** Answers *)

Lemma budgets_read budgets e : (forall l r, In (l, r) budgets -> exists v, of_level l = Some v /\ 0 <= v /\ spans r v /\
    (forall y, l = Log y -> fst r = snd r)) -> Claims.budgets (map fst budgets) e ->
  budgets_span (map snd budgets) e.
Proof.
  intros H He t Ht. rewrite map_length in Ht. specialize (He t ltac:(rewrite map_length; assumption)).
  destruct (nth_error budgets t) as [[l r]|] eqn:E; [|apply nth_error_None in E; lia].
  rewrite (nth_error_nth (map snd budgets) t nothing_told (x := r)) by (rewrite nth_error_map, E; reflexivity).
  rewrite (nth_error_nth (map fst budgets) t Infinite (x := l)) in He by (rewrite nth_error_map, E; reflexivity).
  destruct (H l r (nth_error_In _ _ E)) as [v [Ev [_ [Hs _]]]]. destruct He as [_ He]. rewrite Ev in He. subst v. assumption.
Qed.

Lemma budgets_exact budgets : (forall l r, In (l, r) budgets -> exists v, of_level l = Some v /\ 0 <= v /\ spans r v /\
    (forall y, l = Log y -> fst r = snd r)) -> (forall l, In l (map fst budgets) -> exists y, l = Log y) -> all_exact (map snd budgets).
Proof.
  intros H Hlog r Hr. apply in_map_iff in Hr. destruct Hr as [[l r'] [<- Hlr]].
  destruct (Hlog l ltac:(apply in_map_iff; exists (l, r'); auto)) as [y Ey].
  destruct (H l r' Hlr) as [v [_ [_ [_ Hexact]]]]. eapply Hexact. eassumption.
Qed.

(** Of a request: at each time what is answered encloses BPL, FPL and TPL by the recursions (13), (15) and (10), with the matrices
    and the budgets that the request writes; and is them where each e^eps is written as a rational. *)
Theorem leakage_sound bits backward forward epsilons found : answer_leakage bits backward forward epsilons = Done found ->
  exists ls nB nF Bs Fs, states_stream backward forward epsilons ls nB nF Bs Fs /\
  (exists e, budgets ls e) /\
  let T := (List.length ls - 1)%nat in List.length found = List.length ls /\
  forall e t bpl fpl tpl, budgets ls e -> nth_error found t = Some (bpl, fpl, tpl) ->
  let before := BPL nB (steps_of Bs) e t in let later := FPL nF (steps_of Fs) e t (T - t) in
  spans bpl before /\ spans fpl later /\ spans tpl (before + later - e t) /\
  ((forall l, In l ls -> exists y, l = Log y) -> fst bpl = snd bpl /\ fst fpl = snd fpl /\ fst tpl = snd tpl).
Proof.
  unfold answer_leakage. intros H. apply bind_done in H. destruct H as [s [Hs H]]. injection H as <-.
  destruct (read_stream_of_sound _ _ _ _ _ Hs) as [Hstates [LB [GB [LF [GF Hbudgets]]]]].
  set (asked := budgets_of s) in *. set (T := (List.length asked - 1)%nat) in *.
  exists (map fst asked), (past_size s), (future_size s), (map given (past_steps s)), (map given (future_steps s)).
  split; [assumption|]. split.
  { apply budgets_some. rewrite Forall_forall. intros l Hl. apply in_map_iff in Hl. destruct Hl as [[l' r] [<- Hlr]].
    destruct (Hbudgets _ _ Hlr) as [v [Ev [Hv _]]]. cbn. rewrite Ev. exact Hv. }
  rewrite map_length. fold T.
  set (budgets := map snd asked). assert (Lbudgets : List.length budgets = List.length asked) by apply map_length.
  set (past := leakages bits (past_steps s) budgets). set (future := leakages bits (rev (future_steps s)) (rev budgets)).
  assert (Hpast : forall e, Claims.budgets (map fst asked) e -> List.length past = List.length asked /\
    forall t, (t < List.length asked)%nat -> let r := nth t past (nothing_told, nothing_told) in
    spans (fst r) (BPL (past_size s) (matrix_of (past_steps s)) e t - e t) /\ spans (snd r) (BPL (past_size s) (matrix_of (past_steps s)) e t) /\
    (all_exact budgets -> fst (fst r) = snd (fst r) /\ fst (snd r) = snd (snd r))).
  { intros e He. rewrite <- Lbudgets. apply leakages_spec; [assumption|lia|apply budgets_read; assumption]. }
  assert (Hfuture : forall e, Claims.budgets (map fst asked) e -> List.length future = List.length asked /\
    forall t, (t < List.length asked)%nat -> let r := nth t future (nothing_told, nothing_told) in
    let B := matrix_of (rev (future_steps s)) in
    spans (fst r) (BPL (future_size s) B (turned T e) t - turned T e t) /\ spans (snd r) (BPL (future_size s) B (turned T e) t) /\
    (all_exact budgets -> fst (fst r) = snd (fst r) /\ fst (snd r) = snd (snd r))).
  { intros e He. destruct (leakages_spec (future_size s) bits (rev (future_steps s)) (rev budgets) (turned T e)) as [L HL].
    - intros M HM. apply GF, in_rev. assumption.
    - rewrite !rev_length. lia.
    - intros t Ht. rewrite rev_length in Ht. rewrite rev_nth by assumption. unfold turned.
      replace (List.length budgets - S t)%nat with (T - t)%nat by (unfold T; lia).
      apply (budgets_read asked e Hbudgets He). fold budgets. unfold T. lia.
    - rewrite rev_length, Lbudgets in *. split; [exact L|]. intros t Ht. destruct (HL t Ht) as [H1 [H2 H3]].
      split; [exact H1|]. split; [exact H2|]. intros Hall. apply H3. intros r Hr. apply Hall, in_rev. assumption. }
  split.
  { destruct (budgets_some (map fst asked)) as [e He].
    { rewrite Forall_forall. intros l Hl. apply in_map_iff in Hl. destruct Hl as [[l' r] [<- Hlr]].
      destruct (Hbudgets _ _ Hlr) as [v [Ev [Hv _]]]. cbn. rewrite Ev. exact Hv. }
    destruct (Hpast e He) as [L1 _]. destruct (Hfuture e He) as [L2 _].
    rewrite map_length, combine_length, rev_length. lia. }
  intros e t bpl fpl tpl He Ht. rewrite map_length. fold T. set (before := BPL (past_size s) (steps_of (map given (past_steps s))) e t).
  set (later := FPL (future_size s) (steps_of (map given (future_steps s))) e t (T - t)).
  destruct (Hpast e He) as [L1 H1]. destruct (Hfuture e He) as [L2 H2].
  assert (Hlt : (t < List.length asked)%nat).
  { assert (N : nth_error (map (fun both => (snd (fst both), snd (snd both), times (snd (fst both)) (fst (snd both)))) (combine past (rev future))) t <> None)
      by congruence. apply nth_error_Some in N. rewrite map_length, combine_length, rev_length in N. lia. }
  apply (nth_error_nth _ _ (nothing_told, nothing_told, nothing_told)) in Ht.
  set (none := (nothing_told, nothing_told)) in *.
  rewrite (nth_indep _ _ ((fun both => (snd (fst both), snd (snd both), times (snd (fst both)) (fst (snd both)))) (none, none))) in Ht
    by (rewrite map_length, combine_length, rev_length; lia).
  rewrite (map_nth (fun both => (snd (fst both), snd (snd both), times (snd (fst both)) (fst (snd both))))) in Ht.
  rewrite combine_nth in Ht by (rewrite rev_length; lia). rewrite rev_nth in Ht by lia. rewrite L2 in Ht.
  replace (List.length asked - S t)%nat with (T - t)%nat in Ht by (unfold T; lia). cbn [fst snd] in Ht. injection Ht as <- <- <-.
  destruct (H1 t Hlt) as [B1 [B2 B3]]. destruct (H2 (T - t)%nat ltac:(unfold T; lia)) as [F1 [F2 F3]].
  assert (Ebefore : before = BPL (past_size s) (matrix_of (past_steps s)) e t).
  { apply BPL_same; [|reflexivity]. intros r _. symmetry. apply matrix_of_map. }
  assert (Elater : later = BPL (future_size s) (matrix_of (rev (future_steps s))) (turned T e) (T - t)).
  { unfold later. rewrite FPL_reversed. replace (t + (T - t))%nat with T by lia. apply BPL_same; [|reflexivity].
    intros r Hr. rewrite <- matrix_of_map. unfold matrix_of. rewrite rev_nth by lia. rewrite LF. reflexivity. }
  assert (Eturned : turned T e (T - t) = e t) by (unfold turned; f_equal; lia).
  rewrite <- Ebefore in *. rewrite <- Elater, Eturned in *.
  destruct (times_sound _ _ _ _ B2 F1) as [T1 T2]. replace (before + (later - e t)) with (before + later - e t) in T1 by ring.
  split; [assumption|]. split; [assumption|]. split; [assumption|]. intros Hlog.
  pose proof (budgets_exact asked Hbudgets Hlog) as Hexact. destruct (B3 Hexact). destruct (F3 Hexact). auto.
Qed.
