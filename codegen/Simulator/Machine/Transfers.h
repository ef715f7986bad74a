// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How work of the engines is brought to completion from outside the thread that waits for it.
#pragma once
#include "codegen/Simulator/Machine/Engines.h"

namespace tilefold::sim {

class ClusterRun;
struct Thread;

/// One of the thread's cp.async, if any is under way; the thread does not know.
void completeCopyAtRandom(ClusterRun &run, Thread &thread);
/// The arrival of cp.async.mbarrier.arrive, after the copies before it.
void arriveAfterCopies(ClusterRun &run, const PendingTransfer &transfer);
/// The first product that is not complete, if any is under way; its threads do not know.
void completeNextProduct(ClusterRun &run, WgmmaEngine &engine);
/// Reports products that the warpgroup of a thread that ends has not waited for.
void checkProductsAtExit(ClusterRun &run, Thread &thread);

} // namespace tilefold::sim
