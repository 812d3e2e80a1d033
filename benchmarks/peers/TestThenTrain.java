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
import java.util.List;
import java.util.Locale;
import moa.classifiers.Classifier;
import moa.core.Measurement;
import moa.options.AbstractOptionHandler;
import moa.options.ClassOption;

/**
 * Runs one MOA learner over one stream, each row predicted and then learned, and prints one line of
 * JSON with the best CPU time of the thread.
 *
 * <p>Arguments: SCHEMA DATA REPEATS WARM_UP_ROWS LEARNER. SCHEMA has one line a column, "numeric" or
 * "nominal K", the target last; DATA holds the rows as little-endian doubles. All rows are in memory
 * before the clock starts. The JVM compiles and collects garbage on other threads, whose time is not
 * counted: that is in the learner's favour.
 */
public final class TestThenTrain {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private record Outcome(double seconds, double error, double nodes) {}

  public static void main(String[] arguments) throws Exception {
    InstancesHeader header = readHeader(Path.of(arguments[0]));
    Instance[] rows = readRows(Path.of(arguments[1]), header);
    int repeats = Integer.parseInt(arguments[2]);
    int warmUp = Math.min(Integer.parseInt(arguments[3]), rows.length);
    String learner = arguments[4];

    run(learner, header, rows, warmUp);
    Outcome best = null;
    for (int i = 0; i < repeats; i++) {
      Outcome outcome = run(learner, header, rows, rows.length);
      if (best == null || outcome.seconds() < best.seconds()) {
        best = outcome;
      }
    }
    System.out.printf(
        Locale.ROOT,
        "{\"rows\": %d, \"seconds\": %.6f, \"error\": %.8f, \"nodes\": %s}%n",
        rows.length,
        best.seconds(),
        best.error(),
        Double.isNaN(best.nodes()) ? "null" : String.format(Locale.ROOT, "%.0f", best.nodes()));
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

  private static Outcome run(String learner, InstancesHeader header, Instance[] rows, int count)
      throws Exception {
    Classifier model =
        (Classifier) ClassOption.cliStringToObject(learner, Classifier.class, null);
    model.setModelContext(header);
    ((AbstractOptionHandler) model).prepareForUse();
    model.resetLearning();
    boolean nominal = header.classAttribute().isNominal();
    double lost = 0.0;
    long begin = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; i < count; i++) {
      Instance row = rows[i];
      double[] votes = model.getVotesForInstance(row);
      double target = row.classValue();
      if (nominal) {
        lost += highest(votes) == (int) target ? 0.0 : 1.0;
      } else {
        lost += Math.abs((votes.length > 0 ? votes[0] : 0.0) - target);
      }
      model.trainOnInstance(row);
    }
    double seconds = (THREADS.getCurrentThreadCpuTime() - begin) / 1e9;
    return new Outcome(seconds, lost / count, nodes(model));
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

  private static double nodes(Classifier model) {
    for (Measurement measurement : model.getModelMeasurements()) {
      String name = measurement.getName().toLowerCase(Locale.ROOT);
      if (name.contains("tree size (nodes)") || name.equals("nodes")) {
        return measurement.getValue();
      }
    }
    return Double.NaN;
  }
}
