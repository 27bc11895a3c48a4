"""The golden models: each line of models has a file of configurations, config.json as the hub's models write it, and cases.

Nothing there or in family_weights.py asks the library that computes the goldens: keys, names and shapes are written down
from the hub's checkpoints, so that the library's strict loading of them is a check of both. Of the families of
library_models.py names and shapes are the library's.
"""

import cases_of_berts
import cases_of_blooms
import cases_of_decoder_vectors
import cases_of_encoder_decoders
import cases_of_further_mixtures
import cases_of_gemmas
import cases_of_gpts
import cases_of_kin_of_llamas
import cases_of_latents
import cases_of_layer_normed
import cases_of_llama4
import cases_of_llamas
import cases_of_mixtures
import cases_of_olmos
import cases_of_recurrences
import cases_of_shared_experts
import cases_of_stacked_mixtures
from case import Case


def cases() -> list[Case]:
    lines = (
        cases_of_llamas, cases_of_kin_of_llamas, cases_of_olmos, cases_of_layer_normed,
        cases_of_gpts, cases_of_gemmas, cases_of_berts, cases_of_blooms,
        cases_of_mixtures, cases_of_stacked_mixtures, cases_of_latents, cases_of_shared_experts,
        cases_of_further_mixtures, cases_of_llama4, cases_of_encoder_decoders, cases_of_decoder_vectors,
        cases_of_recurrences,
    )  # fmt: skip
    return [case for line in lines for case in line.CASES]
