# manychain markov: finite chains and texts.
function(manychain_cli_markov name content)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "OPTIONS;OUT;ERR;FILES")
  manychain_cli_test(markov_${name} COMMAND markov chain.json ${ARG_OPTIONS} FIXTURE chain.json "${content}"
                     OUT ${ARG_OUT} ERR ${ARG_ERR} FILES ${ARG_FILES})
endfunction()
function(manychain_cli_bad_markov name words content)
  manychain_cli_test(markov_${name} COMMAND markov chain.json ${ARGN} FIXTURE chain.json "${content}" STATUS 2 ONE_LINE
                     ERR "^manychain: chain.json: ${words}")
endfunction()
set(weather "{\"transition_matrix\": [[0.4, 0.6], [0.5, 0.5]], \"states\": [\"rain\", \"sun\"], \"initial\": [1, 0]}")
set(two_ends "{\"transition_matrix\": [[0.5, 0.25, 0.25], [0, 1, 0], [0, 0, 1]]}")
manychain_cli_markov(regular "${weather}"
                     OUT "[\n]Regular: irreducible and aperiodic" "[\n]  detailed balance  reversible"
                         "spectral gap      0.9; relaxation time 1.11111" "mixing time       1 to"
                         "[\n]rain +1 +positive recurrent +1 +0.454545[\n]")
manychain_cli_markov(reducible "${two_ends}"
                     OUT "[\n]Reducible: 3 communicating classes, 2 of them closed" "mixing time       infinite: where"
                         "[\n]1 +1 +transient +1 +0 +0 +0.5 +0.5[\n]")
manychain_cli_markov(periodic "{\"transition_matrix\": [[0, 1], [1, 0]]}"
                     OUT "[\n]Irreducible, with period 2" "infinite: it is periodic" "spectral gap      0;")
manychain_cli_markov(steps "${weather}" OPTIONS --steps 3 OUT "[\n]rain .* 0.454[\n]" "[\n]sun +0.455 +0.545[\n]")
manychain_cli_markov(epsilon "${weather}" OPTIONS --epsilon 0.01 OUT "mixing time       2 to a total variation of 0.01")
manychain_cli_markov(json "${weather}" OPTIONS --json - --steps 3
                     OUT "^{" "\"regular\": true" "\"mixing_time\": 1," "\"distribution\": " "}[\n]$" ERR "Regular")
manychain_cli_markov(infinite "${two_ends}" OPTIONS --json -
                     OUT "\"relaxation_time\": null" "\"mixing_time\": null" ERR "Reducible")
manychain_cli_markov(simulate "${weather}" OPTIONS --simulate 1000 --steps 50 --seed 1
                     OUT "1000 chains of 50 steps from the initial distribution, seed 1" "of the chains" "of one's time")
manychain_cli_markov(simulate_json "${weather}" OPTIONS --simulate 3 --steps 4 --seed 1 --json -
                     OUT "\"simulation\"" "\"over_time\"" ERR "3 chains of 4 steps")
manychain_cli_test(markov_simulate_none COMMAND markov chain.json --simulate 0 FIXTURE chain.json "${weather}" STATUS 2
                   ONE_LINE ERR "chains: 0 is not allowed")
manychain_cli_markov(files "${weather}" OPTIONS --json out.json --dot out.dot OUT "Regular" FILES out.dot out.json)
manychain_cli_markov(dot "${weather}" OPTIONS --dot - OUT "^digraph" "1 -> 2 .label=\"0.6\".;" ERR "Regular")
# A chain whose matrix changes with time: 0.48 / 1.07 after each round of two, 0.7 * 0.1 of the distance left by it.
set(seasons "[[0.9, 0.1], [0.2, 0.8]], [[0.4, 0.6], [0.5, 0.5]]")
set(changing "{\"transition_matrices\": [[[0, 1], [1, 0]], ${seasons}], \"repeat\": 2, \"initial\": [1, 0]}")
manychain_cli_markov(changing "${changing}" OPTIONS --steps 3
                     OUT "3 matrices, of which the last 2 repeat[\n]Weakly ergodic: .* goes round 2 limits"
                         "leaves at most 0.07 of" "forgetting time   3 to a total variation of 0.25"
                         "[\n]1 +0.514019 +0.448598 +0.48[\n]" "[\n]2 +0.41 +0.59[\n]$")
manychain_cli_markov(changing_settles "{\"transition_matrices\": [${seasons}]}"
                     OUT "the last one stays[\n]Strongly ergodic" "[\n]1 +0.454545[\n]2 +0.545455[\n]$")
manychain_cli_markov(changing_for_ever "{\"transition_matrices\": [[[0, 1], [1, 0]]]}"
                     OUT "Not ergodic: .* is periodic" "forgetting time   infinite")
manychain_cli_markov(changing_json "${changing}" OPTIONS --simulate 2 --steps 4 --seed 1 --json -
                     OUT "\"weakly_ergodic\": true" "\"forgetting_time\": 3" "\"simulation\"" ERR "2 chains of 4 steps")
manychain_cli_bad_markov(changing_dot "--dot is for a chain of one matrix" "${changing}" --dot -)
manychain_cli_bad_markov(changing_row "matrix 2: transition matrix: row 1: the sum is 0.9, not 1"
                         "{\"transition_matrices\": [[[0, 1], [1, 0]], [[0.5, 0.4], [0, 1]]]}")
manychain_cli_bad_markov(changing_not_a_list "transition_matrices is not an array of matrices"
                         "{\"transition_matrices\": 3}")
manychain_cli_bad_markov(changing_both "give transition_matrix or transition_matrices, not both"
                         "{\"transition_matrices\": [[[1]]], \"transition_matrix\": [[1]]}")
manychain_cli_bad_markov(changing_repeat "repeat: 2 is not allowed"
                         "{\"transition_matrices\": [[[1]]], \"repeat\": 2}")
manychain_cli_bad_markov(repeat_of_one "repeat is for transition_matrices"
                         "{\"transition_matrix\": [[1]], \"repeat\": 1}")
manychain_cli_bad_markov(sum "transition matrix: row 2 [(]\"sun\"[)]: the sum is 0.9, not 1"
                         "{\"transition_matrix\": [[0.4, 0.6], [0.5, 0.4]], \"states\": [\"rain\", \"sun\"]}")
manychain_cli_bad_markov(columns ".*the columns have the sum 1: give its transpose"
                         "{\"transition_matrix\": [[0.4, 0.5], [0.6, 0.5]]}")
manychain_cli_bad_markov(ragged "transition matrix: row 2 has 1 entries" "{\"transition_matrix\": [[0.4, 0.6], [1]]}")
manychain_cli_bad_markov(not_rows "transition_matrix: row 1 is not an array" "{\"transition_matrix\": [0.4, 0.6]}")
manychain_cli_bad_markov(empty "transition matrix: it is empty" "{\"transition_matrix\": []}")
manychain_cli_bad_markov(no_matrix "transition_matrix is missing" "{\"states\": []}")
manychain_cli_bad_markov(unknown_key "there is no use for state; did you mean states"
                         "{\"transition_matrix\": [[1]], \"state\": [\"a\"]}")
manychain_cli_bad_markov(names "states: 1 names for 2 states"
                         "{\"transition_matrix\": [[0, 1], [1, 0]], \"states\": [\"a\"]}")
manychain_cli_bad_markov(changing_names "states: 0 names for 2 states"
                         "{\"transition_matrices\": [[[0, 1], [1, 0]]], \"states\": []}")
manychain_cli_bad_markov(initial "initial: the sum is 0.5, not 1" "{\"transition_matrix\": [[1]], \"initial\": [0.5]}")
manychain_cli_bad_markov(syntax "JSON: offset 22: " "{\"transition_matrix\": }")
manychain_cli_bad_markov(overwrites "cannot be written: it is a file that is read" "${weather}" --json chain.json)
manychain_cli_test(markov_overwrites_otherwise COMMAND markov chain.json --dot ./chain.json FIXTURE chain.json "${weather}"
                   STATUS 2 ONE_LINE ERR "^manychain: ./chain.json: cannot be written: it is a file that is read")
manychain_cli_refuses(markov_no_file "none.json: cannot be read: No such file" markov none.json)
manychain_cli_refuses(markov_nothing "give a file" markov)
manychain_cli_refuses(markov_what "chain.csv: a chain is read from FILE.json, a text from FILE.txt" markov chain.csv)
manychain_cli_refuses(markov_order_of_a_chain "--order is for a text, and c.json is a chain" markov c.json --order 1)
manychain_cli_refuses(markov_steps_of_a_text "--steps is for a chain, and t.txt is a text" markov t.txt --steps 1)
manychain_cli_refuses(markov_simulate_a_text "--simulate is for a chain, and t.txt is a text" markov t.txt --simulate 1)
manychain_cli_refuses(markov_negative_steps "--steps: -1 is not a whole number" markov c.json --steps -1)
manychain_cli_refuses(markov_option "unknown option --step; did you mean --steps" markov c.json --step=1)
manychain_cli_refuses(markov_same_file "--json and --dot name the same file a" markov c.json --json a --dot a)
manychain_cli_test(markov_bad_epsilon COMMAND markov chain.json --epsilon 1 FIXTURE chain.json "${weather}" STATUS 2
                   ONE_LINE ERR "^manychain: epsilon: 1 is not allowed")
manychain_cli_test(markov_help COMMAND markov --help OUT "--steps" "--order" "transition_matrix")
manychain_cli_test(markov_help_before COMMAND --help markov OUT "--steps" "--order" "transition_matrix")
manychain_cli_test(markov_version COMMAND --version markov OUT "^manychain [0-9.]+\n$")

manychain_cli_test(markov_text COMMAND markov text.txt --seed 1 --generate 8 FIXTURE text.txt "one two three."
                   OUT "^manychain [^\n]*: text.txt, 4 words in 1 sentence[\n]" "--order 2 .*--seed 1[\n]"
                       "vocabulary +4 " "contexts +5 of 2 words" "sentences begin +one 1[\n]" "log likelihood -?0, perplexity 1, 5 transitions"
                       "[\n]one two three. one two three.[\n]$")
manychain_cli_test(markov_text_prompt COMMAND markov text.txt --order 1 --generate 2 --prompt two
                   FIXTURE text.txt "one two three." OUT "[\n]two three.[\n]$")
manychain_cli_test(markov_text_seed COMMAND markov text.txt FIXTURE text.txt "one two" OUT "--seed [0-9]+[\n]")
manychain_cli_test(markov_text_held_out COMMAND markov text.txt --order 1 --held-out text.txt --smoothing 1 --generate 0
                   FIXTURE text.txt "a b." OUT "held-out text +log likelihood -[0-9.]+, perplexity 3, 4 transitions[\n]$")
manychain_cli_test(markov_text_empty COMMAND markov text.txt FIXTURE text.txt " " STATUS 2 ONE_LINE
                   ERR "^manychain: text.txt: text: there is no word in it")
manychain_cli_test(markov_text_order COMMAND markov text.txt --order 0 FIXTURE text.txt "a b" STATUS 2 ONE_LINE
                   ERR "^manychain: text.txt: order: 0 is not allowed")
manychain_cli_refuses(markov_text_missing "none.txt: cannot be read: No such file" markov none.txt)
