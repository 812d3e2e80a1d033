import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import moa.classifiers.Classifier;
import moa.core.Measurement;
import moa.options.AbstractOptionHandler;
import moa.options.ClassOption;

/**
 * Runs one MOA learner over one stream, each row predicted and then learned, once for each order of
 * the rows, and prints a line of JSON for each run: the CPU time of the thread, the number of nodes,
 * the loss summed up to each of some rows, a second loss (log loss, or squared error) summed over
 * all of them, and for classes how sure the learner was and how often it was right, by its
 * confidence.
 *
 * <p>Arguments: SCHEMA DATA ENDS WARM_UP_ROWS SECONDS LEARNER ORDER... SCHEMA has one line a
 * column, "numeric" or "nominal K", the target last; DATA holds the rows as little-endian doubles;
 * ENDS and the ORDERs hold little-endian 32-bit integers: the numbers of rows after which the sum of
 * the losses is reported, and the rows in the order in which they come ("-": as in the file). A run
 * that has taken more than SECONDS at one of the ends stops there.
 *
 * <p>All rows are in memory before the clock starts, and some are learned beforehand for the sake of
 * the JVM's compiler. The JVM compiles and collects garbage on other threads, whose time is not
 * counted: that is in the learner's favour.
 */
public final class TestThenTrain {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final String FILE_ORDER = "-";

  private static final double LEAST_PROBABILITY = 1e-15;
  private static final int CONFIDENCE_BINS = 15;

  private record Outcome(
      double seconds, double nodes, double[] losses, double secondLoss, double[][] confidence) {}

  public static void main(String[] arguments) throws Exception {
    InstancesHeader header = readHeader(Path.of(arguments[0]));
    Instance[] rows = readRows(Path.of(arguments[1]), header);
    int[] ends = readIntegers(Path.of(arguments[2]));
    int warmUp = Math.min(Integer.parseInt(arguments[3]), rows.length);
    double limit = Double.parseDouble(arguments[4]);
    String learner = arguments[5];
    for (int i = 6; i < arguments.length; i++) {
      boolean asInFile = arguments[i].equals(FILE_ORDER);
      int[] order = asInFile ? inFileOrder(rows.length) : readIntegers(Path.of(arguments[i]));
      if (i == 6) {
        run(learner, header, rows, order, new int[] {Math.min(warmUp, order.length)}, limit);
      }
      System.out.println(asJson(run(learner, header, rows, order, ends, limit)));
      System.out.flush();
    }
  }

  private static String asJson(Outcome outcome) {
    StringJoiner confidence = new StringJoiner(", ", "[", "]");
    for (double[] bin : outcome.confidence()) {
      confidence.add(asJson(bin));
    }
    String nodes =
        Double.isNaN(outcome.nodes()) ? "null" : String.format(Locale.ROOT, "%.0f", outcome.nodes());
    return String.format(
        Locale.ROOT,
        "{\"seconds\": %.6f, \"nodes\": %s, \"losses\": %s, \"second_loss\": %s, \"confidence\": %s}",
        outcome.seconds(),
        nodes,
        asJson(outcome.losses()),
        outcome.secondLoss(),
        confidence);
  }

  private static String asJson(double[] numbers) {
    StringJoiner joined = new StringJoiner(", ", "[", "]");
    for (double number : numbers) {
      joined.add(Double.toString(number));
    }
    return joined.toString();
  }

  private static InstancesHeader readHeader(Path schema) throws IOException {
    List<Attribute> attributes = new ArrayList<>();
    for (String line : Files.readAllLines(schema)) {
      String[] words = line.trim().split("\\s+");
      String name = "x" + attributes.size();
      if (words[0].equals("numeric")) {
        attributes.add(new Attribute(name));
      } else {
        List<String> values = new ArrayList<>();
        for (int value = 0; value < Integer.parseInt(words[1]); value++) {
          values.add("v" + value);
        }
        attributes.add(new Attribute(name, values));
      }
    }
    Instances empty = new Instances("stream", attributes, 0);
    empty.setClassIndex(attributes.size() - 1);
    return new InstancesHeader(empty);
  }

  private static Instance[] readRows(Path data, InstancesHeader header) throws IOException {
    int columns = header.numAttributes();
    try (FileChannel channel = FileChannel.open(data)) {
      Instance[] rows = new Instance[(int) (channel.size() / (columns * (long) Double.BYTES))];
      ByteBuffer buffer = ByteBuffer.allocate(columns * Double.BYTES * 1024);
      buffer.order(ByteOrder.LITTLE_ENDIAN).flip();
      for (int i = 0; i < rows.length; i++) {
        if (!buffer.hasRemaining()) {
          refill(buffer, channel);
        }
        double[] values = new double[columns];
        for (int j = 0; j < columns; j++) {
          values[j] = buffer.getDouble();
        }
        rows[i] = new DenseInstance(1.0, values);
        rows[i].setDataset(header);
      }
      return rows;
    }
  }

  /** Reads until the buffer is full or the file ends, so that only whole rows are in it. */
  private static void refill(ByteBuffer buffer, FileChannel channel) throws IOException {
    buffer.clear();
    while (buffer.hasRemaining() && channel.read(buffer) >= 0) {}
    buffer.flip();
  }

  private static int[] readIntegers(Path file) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int[] numbers = new int[buffer.remaining() / Integer.BYTES];
    buffer.asIntBuffer().get(numbers);
    return numbers;
  }

  private static int[] inFileOrder(int count) {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = i;
    }
    return order;
  }

  /** Learns the rows up to the last of the ends, or to the first at which the time is over. */
  private static Outcome run(
      String learner, InstancesHeader header, Instance[] rows, int[] order, int[] ends, double limit)
      throws Exception {
    Classifier model =
        (Classifier) ClassOption.cliStringToObject(learner, Classifier.class, null);
    model.setModelContext(header);
    ((AbstractOptionHandler) model).prepareForUse();
    model.resetLearning();
    boolean nominal = header.classAttribute().isNominal();
    double[] losses = new double[ends.length];
    double lost = 0.0;
    double second = 0.0;
    int classes = nominal ? header.numClasses() : 0;
    double[][] confidence = new double[nominal ? CONFIDENCE_BINS : 0][3];
    double seconds = 0.0;
    int end = 0;
    long begin = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; end < ends.length && seconds <= limit; end++) {
      for (; i < ends[end]; i++) {
        Instance row = rows[order[i]];
        double[] votes = model.getVotesForInstance(row);
        double target = row.classValue();
        if (nominal) {
          int chosen = highest(votes);
          boolean right = chosen == (int) target;
          lost += right ? 0.0 : 1.0;
          double sum = positiveSum(votes);
          second -= Math.log(Math.max(share(votes, (int) target, sum, classes), LEAST_PROBABILITY));
          double sure = share(votes, chosen, sum, classes);
          double[] bin = confidence[Math.min((int) (sure * CONFIDENCE_BINS), CONFIDENCE_BINS - 1)];
          bin[0] += 1.0;
          bin[1] += sure;
          bin[2] += right ? 1.0 : 0.0;
        } else {
          double residual = (votes.length > 0 ? votes[0] : 0.0) - target;
          lost += Math.abs(residual);
          second += residual * residual;
        }
        model.trainOnInstance(row);
      }
      losses[end] = lost;
      seconds = (THREADS.getCurrentThreadCpuTime() - begin) / 1e9;
    }
    return new Outcome(seconds, nodes(model), Arrays.copyOf(losses, end), second, confidence);
  }

  private static double positiveSum(double[] votes) {
    double sum = 0.0;
    for (double vote : votes) {
      sum += vote > 0.0 ? vote : 0.0;
    }
    return sum;
  }

  /** The probability of a class: its share of the votes; where there are none all are alike. */
  private static double share(double[] votes, int k, double sum, int classes) {
    if (!(sum > 0.0) || Double.isInfinite(sum)) {
      return 1.0 / classes;
    }
    return k < votes.length && votes[k] > 0.0 ? votes[k] / sum : 0.0;
  }

  /** The class with the most votes, the first of equals; class 0 where there are no votes. */
  private static int highest(double[] votes) {
    int best = 0;
    for (int k = 1; k < votes.length; k++) {
      if (votes[k] > votes[best]) {
        best = k;
      }
    }
    return best;
  }

  /** The number of nodes; FIMT-DD reports its leaves only, and all its splits have two branches. */
  private static double nodes(Classifier model) {
    double nodes = Double.NaN;
    for (Measurement measurement : model.getModelMeasurements()) {
      String name = measurement.getName().toLowerCase(Locale.ROOT);
      if (name.equals("tree size (nodes)") || name.equals("nodes")) {
        return measurement.getValue();
      }
      if (name.equals("tree size (leaves)")) {
        nodes = 2 * measurement.getValue() - 1;
      }
    }
    return nodes;
  }
}
