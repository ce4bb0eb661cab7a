(** The proven implementation on given requests: what it answers, and so what holds of them. *)

From TPL Require Import ComputeReverse ComputeLeakage Accepted.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.
Local Notation "n // d" := (n%Z, d%positive) (at level 35).

(** L at log(11/10), with decimals that enclose it: log(27/25). *)
Definition moderate_units : distributions := {| given := moderate_matrix; units := [[4; 1]; [0; 5]]%Z; common := 5 |}.
Example loss_of_moderate : IZR (fst (loss_ratio moderate_units 11 10)) / IZR (snd (loss_ratio moderate_units 11 10))
  = gain 2 (of_matrix moderate_matrix) (IZR 11 / IZR 10) /\ loss_ratio moderate_units 11 10 = (54, 50)%Z.
Proof.
  split; [|vm_compute; reflexivity]. apply (loss_computed moderate_units 11 10); [|lia].
  assert (H : read_matrix moderate_rows = Done moderate_units) by (vm_compute; reflexivity). apply (read_matrix_sound _ _ H).
Qed.

Example loss_answered : exists P l x, writes_matrix moderate_rows P /\ writes_level (Text "log(11/10)") l /\ of_level l = Some x /\
  7696 / 100000 <= loss (List.length P) (of_matrix P) x <= 7697 / 100000.
Proof.
  destruct (loss_sound 200 moderate_rows (Text "log(11/10)") ((54, 50), (54, 50))%Z) as [P [l [x [HP [Hl [Ex [_ [_ [Hv _]]]]]]]]];
    [vm_compute; reflexivity|].
  exists P, l, x. split; [assumption|]. split; [assumption|]. split; [assumption|].
  apply (decimals_sound 200 ((54, 50), (54, 50))%Z (7696 // 100000) (7697 // 100000) _ ltac:(vm_compute; reflexivity) Hv).
Qed.

(** Bayes' rule after an initial distribution of 1/4 and 3/4. *)
Definition text_list (l : list string) : json := Items (map Text l).
Example backward_answered : exists P p, writes_matrix half_rows P /\ writes_list writes_number (text_list ["1/4"; "3/4"]) p /\
  probability 2 (first_step p P) 1 (value 1 1) * (2 / 11) = probability 2 (first_step p P) 0 (value 0 0) * of_matrix P 0 1.
Proof.
  destruct (reverse_sound half_rows (text_list ["1/4"; "3/4"]) (Backward [[2 // 5; 3 // 5]; [2 // 11; 9 // 11]]))
    as [P [p [HP [Hp [_ [En [_ H]]]]]]]; [vm_compute; reflexivity|].
  exists P, p. split; [assumption|]. split; [assumption|]. cbn in En. rewrite <- En in H.
  destruct (H 0%nat 1%nat) as [_ E]; [lia|lia|]. exact E.
Qed.

(** BPL at the second of three times, with matrices that repeat: log(27/5). *)
Definition in_turn : json := Fields [("cycle", Items [moderate_rows; half_rows])].
Example leakage_answered : exists ls nB nF Bs Fs e, states_stream in_turn Null (text_list ["log(2)"; "log(3)"; "log(2)"]) ls nB nF Bs Fs /\
  budgets ls e /\ exp (BPL nB (steps_of Bs) e 1) = 27 / 5.
Proof.
  pose (found := [((2, 1), (2, 1), ((2, 1), (2, 1)), ((2, 1), (2, 1))); ((27, 5), (27, 5), ((3, 1), (3, 1)), ((27, 5), (27, 5)));
    ((128, 42), (128, 42), ((2, 1), (2, 1)), ((128, 42), (128, 42)))]%Z).
  destruct (leakage_sound 100 in_turn Null (text_list ["log(2)"; "log(3)"; "log(2)"]) found)
    as [ls [nB [nF [Bs [Fs [Hs [[e He] [_ H]]]]]]]]; [vm_compute; reflexivity|].
  exists ls, nB, nF, Bs, Fs, e. split; [assumption|]. split; [assumption|].
  destruct (H e 1%nat _ _ _ He eq_refl) as [[_ [_ Hv]] _]. unfold quotient in Hv. cbn [fst snd] in Hv. lra.
Qed.
