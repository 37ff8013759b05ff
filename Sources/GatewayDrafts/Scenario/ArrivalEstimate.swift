/// The rate of arrivals of a recording in stages, each with a rate that changes linearly.
///
/// Times are counted in steps of a round length. Dynamic programming finds the stages that make the counts of a Poisson process
/// most likely, less a price for each stage (the idea of Scargle's "Bayesian blocks", with slopes). A stage has as many
/// arrivals as were counted.
struct ArrivalEstimate {
  /// A stretch of time in seconds, and the rates at its ends in clients a second.
  struct Stage: Equatable {
    var from: Double
    var to: Double
    var first: Double
    var last: Double
  }

  let stages: [Stage]

  private static let stepsMax = 150

  /// Estimates the rate. `times` are in milliseconds, at most `length`.
  init(_ times: [Int64], length: Int64) {
    let grid = Grid(times, length: max(length, 1))
    let count = grid.counts.count
    // The improvement that another stage must bring (Bayesian information criterion): a stage has a begin, a rate and a
    // slope. It is smaller if chance does less than in a Poisson process, as in a storm with a timetable.
    let price = 3 * NaturalLogarithm.of(Double(times.count + 2)) * grid.scatter
    // best[k]: the least cost of the first k steps; from[k]: where their last stage begins.
    var best = [0.0] + [Double](repeating: .infinity, count: count)
    var from = [Int](repeating: 0, count: count + 1)
    for end in 1...count {
      for start in 0..<end {
        let cost = best[start] + grid.unlikeliness(start, end) + price
        if cost < best[end] { (best[end], from[end]) = (cost, start) }
      }
    }
    var (stages, end) = ([Stage](), count)
    while end > 0 {
      let start = from[end]
      stages.append(grid.stage(start, end))
      end = start
    }
    self.stages = stages.reversed()
  }

  /// The points of the scenario's `arrivals`: time and rate.
  var points: [(at: Double, rate: Double)] {
    var points: [(at: Double, rate: Double)] = []
    for stage in stages {
      for point in [(at: stage.from, rate: stage.first), (at: stage.to, rate: stage.last)]
      where points.last.map({ $0 != point }) ?? true {
        points.append(point)
      }
    }
    return points
  }

  /// The counts of arrivals in steps.
  private struct Grid {
    /// In seconds.
    let length: Double
    let step: Double
    let counts: [Double]
    /// The sums of the arrivals, and of their times, ahead of each step.
    private var numbers = [0.0]
    private var moments = [0.0]

    init(_ times: [Int64], length: Int64) {
      let wanted = max(1, min(ArrivalEstimate.stepsMax, 2 * times.count))
      let step = Self.round(max(1, length / Int64(wanted)))
      self.length = Double(length) / 1_000
      self.step = Double(step) / 1_000
      let count = Int((length + step - 1) / step)
      var counts = [Double](repeating: 0, count: count)
      var sums = counts
      for time in times {
        let place = min(count - 1, Int(max(0, time) / step))
        counts[place] += 1
        sums[place] += Double(time) / 1_000
      }
      self.counts = counts
      for place in counts.indices {
        numbers.append(numbers[place] + counts[place])
        moments.append(moments[place] + sums[place])
      }
    }

    /// Returns the next round number of milliseconds: 1, 2 or 5 and zeros.
    private static func round(_ least: Int64) -> Int64 {
      var unit: Int64 = 1
      while true {
        for factor: Int64 in [1, 2, 5] where unit * factor >= least { return unit * factor }
        unit *= 10
      }
    }

    /// How much the counts of neighbours differ, in parts of what they would in a Poisson process.
    var scatter: Double {
      let pairs = zip(counts, counts.dropFirst())
      let all = pairs.reduce(0.0) { $0 + $1.0 + $1.1 }
      guard all > 0 else { return 1 }
      let apart = pairs.reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      return min(1, max(0.1, apart / all))
    }

    func time(_ step: Int) -> Double { min(length, Double(step) * self.step) }

    /// Returns the stage of some steps: the rate that has their number of arrivals and their mean time, if it is not negative
    /// anywhere.
    func stage(_ start: Int, _ end: Int) -> Stage {
      let (from, to) = (time(start), time(end))
      let (long, number) = (to - from, numbers[end] - numbers[start])
      let mean = number / long
      let lean = 6 * (moments[end] - moments[start] - number * (from + to) / 2) / (long * long)
      // A slope that chance explains is none.
      let isSteep = lean * lean * long * long > 3 * 9 * number
      let change = isSteep && end - start > 1 ? max(-mean, min(mean, lean)) : 0
      return Stage(from: from, to: to, first: mean - change, last: mean + change)
    }

    /// Returns -2 times the logarithm of the likelihood of some steps by their stage, but for a part that all stages share.
    func unlikeliness(_ start: Int, _ end: Int) -> Double {
      let stage = stage(start, end)
      if stage.first == stage.last {
        let number = numbers[end] - numbers[start]
        return number > 0 ? -2 * number * NaturalLogarithm.of(stage.first) : 0
      }
      let slope = (stage.last - stage.first) / (stage.to - stage.from)
      var sum = 0.0
      for place in start..<end where counts[place] > 0 {
        let middle = stage.first + slope * ((time(place) + time(place + 1)) / 2 - stage.from)
        sum -= 2 * counts[place] * NaturalLogarithm.of(max(middle, 1e-9))
      }
      return sum
    }
  }
}
