(** The proven implementation on given requests: what it answers, and so what holds of them. *)

From TPL Require Import ComputeReverse ComputeSupremum ComputeTight Accepted.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.
Local Notation "n // d" := (n%Z, d%positive) (at level 35).

(** L at log(11/10), with decimals that enclose it: log(27/25). *)
Definition moderate_units : distributions := {| given := moderate_matrix; units := [[4; 1];
  [0; 5]]%Z; common := 5 |}.
Example loss_of_moderate : IZR (fst (loss_ratio moderate_units 11 10)) / IZR
  (snd (loss_ratio moderate_units 11 10))
  = gain 2 (of_matrix moderate_matrix) (IZR 11 / IZR 10) /\ loss_ratio moderate_units 11 10 = (54,
    50)%Z.
Proof.
  split; [|vm_compute; reflexivity]. apply (loss_computed moderate_units 11 10); [|lia].
  assert (H : read_matrix moderate_rows = Done moderate_units) by (vm_compute; reflexivity).
    apply (read_matrix_sound _ _ H).
Qed.

Example loss_answered : exists P l x, writes_matrix moderate_rows P /\
  writes_level (Text "log(11/10)") l /\ of_level l = Some x /\
  7696 / 100000 <= loss (List.length P) (of_matrix P) x <= 7697 / 100000.
Proof.
  destruct (loss_sound 200 moderate_rows (Text "log(11/10)") ((54, 50), (54, 50))%Z)
    as [P [l [x [HP [Hl [Ex [_ [_ [Hv _]]]]]]]]];
    [vm_compute; reflexivity|].
  exists P, l, x. split; [assumption|]. split; [assumption|]. split; [assumption|].
  apply (decimals_sound 200 ((54, 50), (54, 50))%Z (7696 // 100000) (7697 // 100000) _
    ltac:(vm_compute; reflexivity) Hv).
Qed.

(** Bayes' rule after an initial distribution of 1/4 and 3/4. *)
Definition text_list (l : list string) : json := Items (map Text l).
Example backward_answered : exists P p, writes_matrix half_rows P /\ writes_list writes_number
  (text_list ["1/4"; "3/4"]) p /\
  probability 2 (first_step p P) 1 (value 1 1) * (2 / 11) = probability 2 (first_step p P) 0
    (value 0 0) * of_matrix P 0 1.
Proof.
  destruct (reverse_sound half_rows (text_list ["1/4"; "3/4"]) (Backward [[2 // 5; 3 // 5];
    [2 // 11; 9 // 11]]))
    as [P [p [HP [Hp [_ [En [_ H]]]]]]]; [vm_compute; reflexivity|].
  exists P, p. split; [assumption|]. split; [assumption|]. cbn in En. rewrite <- En in H.
  destruct (H 0%nat 1%nat) as [_ E]; [lia|lia|]. exact E.
Qed.

(** BPL at the second of three times, with matrices that repeat: log(27/5). *)
Definition in_turn : json := Fields [("cycle", Items [moderate_rows; half_rows])].
Example leakage_answered : exists ls nB nF Bs Fs e, states_stream in_turn Null
  (text_list ["log(2)"; "log(3)"; "log(2)"]) ls nB nF Bs Fs /\
  budgets ls e /\ exp (BPL nB (steps_of Bs) e 1) = 27 / 5.
Proof.
  pose (found := [((2, 1), (2, 1), ((2, 1), (2, 1)), ((2, 1), (2, 1)));
    ((27, 5), (27, 5), ((3, 1), (3, 1)), ((27, 5), (27, 5)));
    ((128, 42), (128, 42), ((2, 1), (2, 1)), ((128, 42), (128, 42)))]%Z).
  destruct (leakage_sound 100 in_turn Null (text_list ["log(2)"; "log(3)"; "log(2)"]) found)
    as [ls [nB [nF [Bs [Fs [Hs [[e He] [_ H]]]]]]]]; [vm_compute; reflexivity|].
  exists ls, nB, nF, Bs, Fs, e. split; [assumption|]. split; [assumption|].
  destruct (H e 1%nat _ _ _ He eq_refl) as [[_ [_ Hv]] _]. unfold quotient in Hv.
    cbn [fst snd] in Hv. lra.
Qed.

(** L whole, of the paper's Figure 4: two pieces. *)
Definition three_rows : json := Items (map text_list [["0.1"; "0.2"; "0.7"]; ["0.3"; "0.3"; "0.4"];
  ["0.5"; "0.3"; "0.2"]]).
Example function_answered : exists P, writes_matrix three_rows P /\
  loss (List.length P) (of_matrix P) (ln 5) = ln (3 / (7 / 5)).
Proof.
  destruct (function_sound three_rows [((7 // 10, 2 // 10), (Nats (0 // 1), Log (13 // 3)));
    ((5 // 10, 1 // 10), (Log (13 // 3), Infinite))])
    as [P [HP [[_ H] _]]]; [vm_compute; reflexivity|].
  exists P. split; [assumption|]. assert (H5 : ln (13 / 3) <= ln 5) by (left; apply ln_increasing;
    lra).
  assert (H0 : 0 <= ln 5) by (rewrite <- ln_1; left; apply ln_increasing; lra).
  rewrite (proj2 (H (ln 5) H0) (5 // 10) (1 // 10) (Log (13 // 3), Infinite)).
  - f_equal. rewrite exp_ln by lra. unfold of_rational, piece. cbn. field.
  - right. left. reflexivity.
  - unfold within_piece, of_rational. cbn. split; [|exact I]. exact H5.
Qed.

(** The supremum of a symmetric matrix: log((4 + sqrt 24)/2), which is log(2 + sqrt 6). *)
Definition symmetric_rows : json := Items [text_list ["4/5"; "1/5"]; text_list ["1/5"; "4/5"]].
Example supremum_answered : exists P, writes_matrix symmetric_rows P /\
  is_supremum (List.length P) (of_matrix P) (ln (of_rational (2 // 1))) (ln (surd 2 false 6 1)).
Proof.
  assert (H : exists r, answer_supremum 9 symmetric_rows (Text "log(2)") = Done
    (Supremum (Some (Log_surd 4 false 24 2)) r))
    by (vm_compute; eexists; reflexivity).
  destruct H as [r H]. destruct (supremum_sound _ _ _ _ H)
    as [P [l [x [HP [[s [Es Hl]] [Ex [_ [_ [y [Hy [_ Ey]]]]]]]]]]].
  exists P. split; [assumption|]. injection Es as <-. vm_compute in Hl. injection Hl as <-.
    injection Ex as <-.
  rewrite <- (reduced_same 2 0 (Log_surd 4 false 24 2)) in Ey.
  replace (reduced 2 0 (Log_surd 4 false 24 2)) with (Log_surd 2 false 6 1) in Ey by (vm_compute;
    reflexivity).
  injection Ey as <-. exact Hy.
Qed.

(** The greatest BPL over all mechanisms at the second of two times, of rows whose recursion
    diverges: log(651/308), which is log(93/44). *)
Definition looping : json := Items (map text_list [["7/11"; "2/11"; "2/11"]; ["0"; "0"; "1"];
  ["3/7"; "2/7"; "2/7"]]).
Example tight_answered : exists ls nB nF Bs Fs e, states_stream looping Null
  (text_list ["log(3/2)"; "log(3/2)"]) ls nB nF Bs Fs /\
  budgets ls e /\ let n := values_of nB nF in let worst := worst_pair (is_known nB) false n
    (steps_of Bs) (steps_of Fs) e (List.length ls - 1) 1 in
  (exists j k, is_pair n j k /\ worst j k (93 / 44)) /\ forall j k y, is_pair n j k ->
    worst j k y -> y <= 93 / 44.
Proof.
  pose (found := [((3, 2), (3, 2), ((3, 2), (3, 2)), ((3, 2), (3, 2))); ((651, 308), (651, 308),
    ((3, 2), (3, 2)), ((651, 308), (651, 308)))]%Z).
  destruct (tight_sound 9 [(1, 2)%nat] looping Null (text_list ["log(3/2)"; "log(3/2)"]) found)
    as [ls [nB [nF [Bs [Fs [Hs [[e [He Hpos]] [_ [Hone H]]]]]]]]];
    [vm_compute; reflexivity|].
  assert (N : values_of nB nF <> 1%nat)
    by (intros E; specialize (Hone E _ (or_introl eq_refl)); discriminate).
  exists ls, nB, nF, Bs, Fs, e. split; [assumption|]. split; [assumption|]. cbv zeta.
  destruct (H N e 1%nat _ _ _ He Hpos eq_refl) as [[_ [_ [[j [k [y [Hjk [Hy Hlow]]]]] Hhigh]]] _].
  assert (Eq : quotient (651, 308)%Z = 93 / 44) by (unfold quotient; cbn [fst snd]; field).
    cbn [fst snd] in Hlow, Hhigh. rewrite Eq in Hlow, Hhigh.
  split; [|exact Hhigh]. exists j, k. split; [assumption|]. replace (93 / 44) with y; [exact Hy|].
    apply Rle_antisym; [|exact Hlow].
  apply (Hhigh j k); assumption.
Qed.
