/// The processes that a question or an order of the control port is about.
package enum NodeScope {
  /// Whether the task asks this process alone, also if it is one of several nodes.
  @TaskLocal package static var isHere = false
}
